"""Finds a Python 2.7 for the Autobahn suite, or takes one from the last Debian release that had it."""

import glob
import os
import shutil
import subprocess
import tempfile

# The packages of Debian 11 that a Python 2.7 with TLS needs beside those of Debian 12.
PACKAGES = ["python2.7", "python2.7-minimal", "libpython2.7-minimal", "libpython2.7-stdlib", "libpython2.7-dev",
            "libssl1.1", "libffi7"]
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
CHECK = "import sys, ssl, zlib, ctypes; sys.exit(sys.version_info[:2] != (2, 7))"


class Missing(Exception):
    """The suite needs something that this machine does not have."""


def find(cache):
    """Returns the first Python 2.7 with TLS and zlib, and the environment for it and its packages."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    names = [os.environ.get("PYTHON27"), "python2.7", "python2", "pypy2", "pypy"]
    names += sorted(glob.glob(f"{pyenv}/versions/2.7*/bin/python2.7"))
    environment = dict(os.environ)
    for name in filter(None, names):
        path = shutil.which(name)
        if path and works(path, environment):
            return path, environment
    root = os.path.join(cache, "python2.7")
    path = os.path.join(root, "usr/bin/python2.7")
    libraries = glob.glob(f"{root}/usr/lib/*-linux-gnu")
    if not libraries:
        unpack(root)
        libraries = glob.glob(f"{root}/usr/lib/*-linux-gnu")
    environment["LD_LIBRARY_PATH"] = ":".join(libraries)
    # The C extensions of the suite are compiled with gcc, or with the clang of the Swift toolchain.
    compiler = shutil.which("gcc") or shutil.which("clang") or "cc"
    environment |= {"CC": compiler, "LDSHARED": f"{compiler} -shared",
                    "CFLAGS": f"-fPIC -I{root}/usr/include/python2.7 -I{root}/usr/include"}
    if not works(path, environment):
        raise Missing(f"a Python 2.7 with ssl and zlib: that of Debian 11, in {root}, does not run here.")
    return path, environment


def works(path, environment):
    return subprocess.run([path, "-c", CHECK], capture_output=True, env=environment).returncode == 0


def unpack(root):
    """Unpacks the packages into a folder, without installing them."""
    base = debian()
    with tempfile.TemporaryDirectory() as scratch:
        # apt drops its privileges for a download, and must still be able to write here.
        os.chmod(scratch, 0o755)
        with open(f"{scratch}/sources.list", "w") as sources:
            sources.write(f"deb [signed-by={KEYRING}] {base} bullseye main\n")
        for folder in ["lists/partial", "cache/archives/partial", "packages"]:
            os.makedirs(f"{scratch}/{folder}")
        options = [f"Dir::Etc::SourceList={scratch}/sources.list", "Dir::Etc::SourceParts=/dev/null",
                   f"Dir::State::Lists={scratch}/lists", f"Dir::Cache={scratch}/cache"]
        apt = ["apt-get", "-qq", *(f"-o{option}" for option in options)]
        for command in [[*apt, "update"], [*apt, "download", *PACKAGES]]:
            done = subprocess.run(command, cwd=f"{scratch}/packages", capture_output=True, text=True)
            if done.returncode != 0:
                raise Missing("a Python 2.7 with ssl and zlib: the suite is written in it, Debian 12 has none, and "
                              f"Debian 11's could not be had ({done.stderr.strip().splitlines()[-1:]}). "
                              "Put a python2.7 or a pypy 2.7 on PATH, or name it in PYTHON27.")
        unpacked = f"{root}.new"
        shutil.rmtree(unpacked, ignore_errors=True)
        os.makedirs(unpacked)
        for package in sorted(glob.glob(f"{scratch}/packages/*.deb")):
            subprocess.run(["dpkg", "-x", package, unpacked], check=True)
        shutil.rmtree(root, ignore_errors=True)
        os.rename(unpacked, root)


def debian():
    """Returns the mirror from which this machine gets Debian's packages."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)"],
                            capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        uri, release, component = (line.split() + ["", "", ""])[:3]
        if release == "bookworm" and component == "main":
            return uri
    raise Missing("a Python 2.7 with ssl and zlib: the suite is written in it, and this machine's package sources are "
                  "not those of Debian 12. Put a python2.7 or a pypy 2.7 on PATH, or name it in PYTHON27.")
