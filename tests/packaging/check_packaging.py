#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what is installed beside the programs: check_packaging.py SOURCES BUILD HEADLIGHT_CLI.

An installation is made from BUILD in a folder that is not its prefix. Validators that are missing are
said and passed over; what they check is checked here too as far as it is ours.
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCES, BUILD, CLI = map(pathlib.Path, sys.argv[1:4])
DESKTOP = SOURCES / "packaging/desktop"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)


def version():
    return re.search(r"project\(Headlight VERSION (\S+)", (SOURCES / "CMakeLists.txt").read_text()).group(1)


def desktop_entry():
    lines = (DESKTOP / "headlight.desktop").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines[: lines.index("")] if "=" in line)


def mime_types():
    root = ElementTree.parse(DESKTOP / "headlight-mime.xml").getroot()
    return {kind.get("type"): kind for kind in root.iter(MIME + "mime-type")}


class Packaging(unittest.TestCase):
    def valid(self, tool, *arguments, but=None):
        """Without errors and warnings, but for the one that is named."""
        if not shutil.which(tool):
            print(f"{tool} is not here")
            return
        result = run(tool, *arguments)
        said = [line for line in result.stdout.splitlines() if line.startswith(("E:", "W:"))]
        if not (but and said and all(line.endswith(but) for line in said)):
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_desktop_entry(self):
        self.valid("desktop-file-validate", DESKTOP / "headlight.desktop")
        types = [kind for kind in desktop_entry()["MimeType"].split(";") if kind]
        self.assertEqual(sorted(types), sorted(mime_types()))

    def test_appstream(self):
        made = BUILD / "io.github.headlight.headlight.metainfo.xml"
        self.valid("appstreamcli", "validate", "--no-net", made, but="url-homepage-missing")  # there is none
        root = ElementTree.parse(made).getroot()
        self.assertEqual(root.find("releases/release").get("version"), version())
        self.assertTrue([line.text for line in root.find("releases/release").iter("li")], "no release notes")
        self.assertEqual(root.find("launchable").text, "headlight.desktop")
        self.assertEqual(sorted(kind.text for kind in root.iter("mediatype")), sorted(mime_types()))

    def test_mime_types_know_the_files_of_the_program(self):
        weights = (SOURCES / "models/demo/demo.safetensors").read_bytes()
        rule = mime_types()["application/x-safetensors"].find(f"{MIME}magic/{MIME}match")
        value = rule.get("value").replace("\\0", "\0").encode()
        offset = int(rule.get("offset"))
        self.assertEqual(weights[offset:offset + len(value)], value)
        patterns = {glob.get("pattern") for kind in mime_types().values() for glob in kind.iter(MIME + "glob")}
        self.assertLessEqual({"*.safetensors", "config.json"}, patterns)
        if shutil.which("update-mime-database"):
            with tempfile.TemporaryDirectory() as folder:
                packages = pathlib.Path(folder) / "packages"
                packages.mkdir()
                shutil.copy(DESKTOP / "headlight-mime.xml", packages / "headlight.xml")
                result = run("update-mime-database", folder)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("application/x-safetensors", (pathlib.Path(folder) / "types").read_text())

    def test_a_moved_installation_finds_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            first, moved = pathlib.Path(folder) / "first", pathlib.Path(folder) / "moved"
            result = run("cmake", "--install", BUILD, "--prefix", first)
            self.assertEqual(result.returncode, 0, result.stderr)
            first.rename(moved)
            result = run(moved / "bin/headlight-cli", "summary", "models/presets/demo.json", "--json",
                         cwd=folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout.splitlines()[-1])[0]["name"], "demo-vit")
            for file in ("share/applications/headlight.desktop", "share/mime/packages/headlight.xml",
                         "share/icons/hicolor/scalable/apps/headlight.svg",
                         "share/icons/hicolor/scalable/mimetypes/headlight-document.svg"):
                self.assertTrue((moved / file).is_file(), file)
            page = moved / "share/man/man1/headlight-cli-train.1.gz"
            if (BUILD / "manuals/made").exists():
                self.assertIn(b".TH ", gzip.decompress(page.read_bytes()))

    def test_sbom_names_what_is_linked(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for name in ("one", "two"):
                file = pathlib.Path(folder) / name
                result = run(sys.executable, SOURCES / "packaging/sbom.py", "--output", file, "--linked", CLI,
                             env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"})
                self.assertEqual(result.returncode, 0, result.stderr)
                texts.append(file.read_bytes())
            self.assertEqual(*texts)
            document = json.loads(texts[0])
        packages = {package["name"]: package for package in document["packages"]}
        self.assertEqual(packages["headlight"]["versionInfo"], version())
        self.assertEqual(packages["headlight"]["licenseDeclared"], "GPL-3.0-or-later")
        known = {text["licenseId"] for text in document["hasExtractedLicensingInfos"]}
        for package in packages.values():
            for reference in re.findall(r"LicenseRef-\S+", package["licenseDeclared"]):
                self.assertIn(reference, known)
        identities = {package["SPDXID"] for package in document["packages"]}
        self.assertEqual(identities, {link["relatedSpdxElement"] for link in document["relationships"]})

    def test_scripts_are_shell(self):
        for script in sorted((SOURCES / "packaging").glob("*.sh")):
            result = run("bash", "-n", script)
            self.assertEqual(result.returncode, 0, f"{script}: {result.stderr}")

    def test_run_refuses_another_package(self):
        if not shutil.which("dpkg-deb"):
            self.skipTest("no dpkg-deb")
        with tempfile.TemporaryDirectory() as folder:
            control = pathlib.Path(folder) / "root/DEBIAN/control"
            control.parent.mkdir(parents=True)
            for name, number, said in (("headlight", "9.9.9-1", "is version 9.9.9-1"),
                                       ("other", version(), "is not a package of Headlight")):
                control.write_text(f"Package: {name}\nVersion: {number}\nArchitecture: all\n"
                                   "Maintainer: A <a@b.org>\nDescription: none\n")
                package = pathlib.Path(folder) / f"{name}.deb"
                self.assertEqual(run("dpkg-deb", "-b", control.parent.parent, package).returncode, 0)
                result = run(SOURCES / "packaging/run.sh", "--deb", package)
                self.assertEqual(result.returncode, 1)
                self.assertIn(said, result.stderr)
            result = run(SOURCES / "packaging/run.sh", "--deb", "gone.deb")
            self.assertIn("--deb needs a file", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
