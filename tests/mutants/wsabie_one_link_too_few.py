"""fit_wsabie whose chain is one link too short."""

from wsabie_altered import altered

fit_wsabie = altered("wsabie", "len(passed) <= Q", "len(passed) < Q").fit_wsabie
