"""The settings of the course. `make classroom` puts a copy beside the assignments; nbgrader reads it from there."""

c = get_config()  # noqa: F821, nbgrader defines it

c.CourseDirectory.course_id = "marginalia"
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "reference.check.classroom.autograde.Restore",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# Student code never runs in this process. Judge starts it in isolation, and computes the points elsewhere.
c.Autograde.autograde_preprocessors = [
    "reference.check.classroom.autograde.Judge",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# "auto": bubblewrap where it works, a warning where it does not. The guide has the other ways.
c.Judge.isolation = "auto"
# A test that a student deleted comes back, and counts.
c.OverwriteCells.add_missing_cells = True
# Feedback shows verdicts, not the hidden tests: their seeds and their list of mistakes serve another year.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
