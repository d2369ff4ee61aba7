"""What kind of file system a folder lies on: write-ahead logging needs shared memory, which network ones don't give."""

from __future__ import annotations

import os

_NETWORK = frozenset(
    [
        "9p",
        "acfs",
        "afpfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fhgfs",
        "gfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "panfs",
        "prl_fs",
        "pvfs2",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "webdav",
    ]
)
_POINT = 4
_LOCAL_FUSE = frozenset(("fuse.ecryptfs", "fuse.encfs", "fuse.gocryptfs", "fuse.ext2", "fuse.ntfs-3g", "fuse.ntfs"))


def is_network(kind: str) -> bool:
    """Whether a file system type, as `/proc/self/mountinfo` names it, is shared between machines. Unknown: no."""
    return kind in _NETWORK or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)


def kind_of(folder: str) -> str:
    """The type of the file system below `folder`, or an empty string where the system doesn't tell."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            return kind_in(file.read(), os.path.realpath(folder))
    except OSError:
        return ""


def kind_in(mountinfo: str, folder: str) -> str:
    """As `kind_of`, from the text of a mountinfo file (proc(5)); of two mounts on one place the later one counts."""
    best, kind = -1, ""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) <= _POINT or not after:
            continue
        point = _unescape(fields[_POINT])
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best:
            best, kind = len(point), after.split(" ")[0]
    return kind


def _unescape(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field


READ_ONLY = "lies on a read-only file system; CONTEXT_MODE_DATA_DIR can name another folder"
"""What doctor says of a folder of ours that does."""


def is_read_only(path: str) -> bool:
    """Whether the file system that the folder lies on takes no writes; False where the system doesn't tell."""
    if os.name != "posix":
        return False
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False
