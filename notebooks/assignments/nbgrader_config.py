"""The settings of the course. `make classroom` puts a copy beside the assignments; nbgrader reads it from there."""

c = get_config()  # noqa: F821, nbgrader defines it

c.CourseDirectory.course_id = "marginalia"
# A grade cell examines a function twice, and an endless loop is given 20 seconds before it counts as one.
c.Execute.timeout = 300
# Feedback shows verdicts, not the hidden tests: their seeds and their list of mistakes serve another year.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
