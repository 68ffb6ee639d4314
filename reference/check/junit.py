"""The report as JUnit's XML, which services that run tests can show: a suite for each row, a test for each instance."""

from xml.etree import ElementTree

NAME = "reference.check"
START = f'<testsuites name="{NAME}"'


def is_ours(text):
    """True if this text is such a file, written by this module."""
    return START in text[:200]


def write(report, path):
    """Write the report to this file."""
    suites = ElementTree.Element("testsuites", name=NAME, time=f"{report.seconds:.3f}")
    if report.error:
        suite = ElementTree.SubElement(suites, "testsuite", name=_plain(report.target))
        _test(suite, report.target, "loads", "failure", report.error, "error")
    for row in report.rows:
        suite = ElementTree.SubElement(suites, "testsuite", name=_plain(row.name))
        texts = {failure.id: str(failure) for failure in row.failures if failure.id}
        for one in row.instances:
            what = {"": None, "skipped": "skipped"}.get(one["kind"], "failure")
            reason = ", ".join(filter(None, (one["reason"], one["detail"])))
            _test(suite, row.name, f"{one['id']}, {one['case']}", what, reason, one["kind"], texts.get(one["id"], ""))
        for failure in row.failures:
            if not failure.id:  # of the row as a whole
                _test(suite, row.name, failure.label or "all", "failure", failure.reason, failure.kind, str(failure))
    for one in (*suites, suites):
        one.set("tests", str(len(list(one.iter("testcase")))))
        one.set("failures", str(len(list(one.iter("failure")))))
        one.set("skipped", str(len(list(one.iter("skipped")))))
    ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _test(suite, row, name, what, message, kind, text=""):
    case = ElementTree.SubElement(suite, "testcase", classname=_plain(row), name=_plain(name))
    if what:
        words = {"message": _plain(message)} | ({"type": _plain(kind)} if what == "failure" else {})
        ElementTree.SubElement(case, what, words).text = _plain(text)


def _plain(text):
    """Replaces what XML cannot hold."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in str(text))
