#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shipped, in one file: an SPDX 2.3 document (JSON) with versions, licenses and their texts.

    sbom.py --output FILE --linked PROGRAM...             a package: Headlight, what is compiled into
                                                          it, and the libraries that it links to
    sbom.py --output FILE --shipped LIST                  a bundle: the files of the system in LIST are
                                                          shipped with it

Versions and license texts are those of the Debian packages that the files come from. The date is
SOURCE_DATE_EPOCH; equal inputs give equal bytes.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# By the beginning of a Debian package's name. Of all others the text of their license is what counts.
LICENSES = (
    ("libqt6", "LGPL-3.0-only OR GPL-3.0-only"),
    ("qt6-", "LGPL-3.0-only OR GPL-3.0-only"),
    ("libqcustomplot", "GPL-3.0-or-later"),
    ("libopenblas", "BSD-3-Clause"),
    ("libtorch", "BSD-3-Clause"),
    ("libgloo", "BSD-3-Clause"),
    ("libopencv", "Apache-2.0"),
    ("nlohmann-json3-dev", "MIT"),
    ("libcli11-dev", "BSD-3-Clause"),
)
COMPILED_IN = ("nlohmann-json3-dev", "libcli11-dev")


def output_of(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env={**os.environ, "LC_ALL": "C.UTF-8"})
    return result.stdout if result.returncode == 0 else ""


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(Headlight VERSION (\S+)", text).group(1)


def linked_files(programs):
    """The libraries that they name, where the dynamic linker finds them; and LibTorch's BLAS, which is
    whichever the system has."""
    found = {}
    for program in programs:
        found.update(re.findall(r"(\S+) => (/\S+)", output_of("ldd", program)))
    wanted = {"libblas.so.3"}
    for program in programs:
        wanted.update(re.findall(r"NEEDED\s+(\S+)", output_of("objdump", "-p", program)))
    return sorted(found[name] for name in wanted if name in found)


def owners():
    """Which Debian package each file of the system belongs to."""
    owner = {}
    for listing in sorted(pathlib.Path("/var/lib/dpkg/info").glob("*.list")):
        name = listing.stem.split(":")[0]
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            owner.setdefault(line, name)
    return owner


def packages_of(files):
    """Each file's, or nothing where none has it. /lib may be a link to /usr/lib, and a library a link
    to an alternative."""
    owner, packages = owners(), {}
    for file in files:
        real = os.path.realpath(file)
        names = (real, real.removeprefix("/usr"), file, file.removeprefix("/usr"), "/usr" + file)
        packages[file] = next((owner[name] for name in names if name in owner), None)
    return packages


def version_of(package):
    return output_of("dpkg-query", "-W", "-f=${Version}\n", package).split("\n")[0]


def copyright_text(package):
    file = pathlib.Path("/usr/share/doc") / package / "copyright"
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def common_licenses(texts):
    """Licenses that Debian's texts name by their file instead of quoting them (LGPL, GPL, Apache)."""
    names = {name for text in texts for name in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text)}
    files = {name: pathlib.Path("/usr/share/common-licenses") / name for name in sorted(names)}
    return {name: file.read_text(encoding="utf-8") for name, file in files.items() if file.is_file()}


def spdx_id(name):
    return re.sub(r"[^A-Za-z0-9.-]", "-", name)


class Document:
    def __init__(self):
        self.packages, self.relations, self.texts = [], [], []

    def add(self, name, version, license_name, relation, **more):
        identity = "SPDXRef-" + spdx_id(name)
        self.packages.append({
            "SPDXID": identity, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": license_name, "licenseDeclared": license_name,
            "copyrightText": "NOASSERTION", **more})
        subject = "SPDXRef-DOCUMENT" if relation == "DESCRIBES" else "SPDXRef-headlight"
        self.relations.append({"spdxElementId": subject, "relationshipType": relation,
                               "relatedSpdxElement": identity})

    def add_text(self, name, text):
        """A license by its text: the reference that stands for it."""
        reference = "LicenseRef-" + spdx_id(name)
        self.texts.append({"licenseId": reference, "name": name, "extractedText": text})
        return reference

    def add_debian(self, package, relation):
        text = copyright_text(package)
        known = next((spdx for start, spdx in LICENSES if package.startswith(start)), "")
        reference = self.add_text(package, text) if text else "NOASSERTION"
        self.add(package, version_of(package), known or reference, relation,
                 **({"licenseComments": f"All terms: {reference}"} if known and text else {}))

    def json(self):
        version = project_version()
        content = json.dumps([self.packages, self.texts], sort_keys=True).encode()
        moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
        return {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"headlight-{version}",
            "documentNamespace": f"urn:headlight:{version}:{hashlib.sha256(content).hexdigest()}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", moment),
                             "creators": ["Tool: headlight-packaging-sbom.py"]},
            "packages": self.packages, "relationships": self.relations,
            "hasExtractedLicensingInfos": self.texts}


def wordnet_license():
    lines = (ROOT / "resources/imagenet1k.txt").read_text(encoding="utf-8").splitlines()
    return "\n".join(line[2:] for line in lines if line.startswith("#"))


def describe(arguments):
    document = Document()
    document.add("headlight", project_version(), "GPL-3.0-or-later", "DESCRIBES")
    demo = hashlib.sha256((ROOT / "models/demo/demo.safetensors").read_bytes()).hexdigest()
    document.add("headlight-demo-model", project_version(), "GPL-3.0-or-later", "CONTAINS",
                 checksums=[{"algorithm": "SHA256", "checksumValue": demo}])
    document.add("imagenet1k-class-names", "WordNet 3.0",
                 document.add_text("WordNet", wordnet_license()), "CONTAINS")
    for package in COMPILED_IN:
        document.add_debian(package, "STATIC_LINK")
    shipped = arguments.shipped and [line for line in arguments.shipped.read_text().splitlines() if line]
    relation = "CONTAINS" if shipped else "DYNAMIC_LINK"
    packages = packages_of(shipped or linked_files(arguments.programs))
    strange = [file for file, package in packages.items() if not package]
    if shipped and strange:
        sys.exit(f"error: no Debian package has {', '.join(strange)}: its license is not known")
    for package in sorted(set(packages.values()) - {None}):
        document.add_debian(package, relation)
    if shipped:  # what is shipped elsewhere finds no Debian there
        for name, text in common_licenses([known["extractedText"] for known in document.texts]).items():
            document.add_text("common-" + name, text)
    return document.json()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--linked", action="store_true", help="libraries are linked, not shipped")
    parser.add_argument("--shipped", type=pathlib.Path, metavar="LIST",
                        help="file with the system's files that are shipped, one a line")
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    text = json.dumps(describe(arguments), indent=1, ensure_ascii=False)
    arguments.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
