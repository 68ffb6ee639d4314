"""The settings of the course. `make classroom` puts a copy beside the assignments; nbgrader reads it from there."""

c = get_config()  # noqa: F821, nbgrader defines it

c.CourseDirectory.course_id = "marginalia"
# Submissions are judged by `make grade`. nbgrader's own command would copy and open whatever was handed in.
c.Autograde.exporter_class = "reference.check.classroom.gradebook.Closed"
# "bubblewrap": nothing is graded where it does not work. "none": the guide says what is unprotected then.
c.Judge.isolation = "bubblewrap"
# Feedback shows verdicts, not the hidden tests: their list of mistakes serves another year.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
# What students wrote must not run in a browser: in the pages of feedback, and where answers are graded by hand.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {"markdown2html": "reference.check.classroom.gradebook.markdown"}
c.ExportApp.plugin_class = "reference.check.classroom.gradebook.Grades"
