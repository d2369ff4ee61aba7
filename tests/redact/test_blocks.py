"""A long text is looked at in blocks: what is cut does not depend on where they end."""

from __future__ import annotations

import pytest

from context_mode_runtime import redact as module
from context_mode_runtime.redact import redact

TEXT = (
    "plain words here\n"
    "password: hunter22-and-more\n"
    "- name: API_TOKEN\n  value: 9s8d7f6g5h4j3k2l\n"
    "<private>\nnobody\nreads this\n</private>\n"
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"
    "it\u2019s https://me:secret-pw@example.test/ \u0130stanbul\n"
)


@pytest.mark.parametrize("size", range(1, 90, 7))
def test_blocks_of_any_size_cut_the_same(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    whole = redact(TEXT * 3)
    monkeypatch.setattr(module, "_BLOCK", size)
    assert redact(TEXT * 3) == whole
    for secret in ("hunter22", "9s8d7f6g", "nobody", "MIIEp", "secret-pw"):
        assert secret not in whole[0]
