from tests.server.conftest import serve as serve  # noqa: PLC0414 - a fixture of another folder
