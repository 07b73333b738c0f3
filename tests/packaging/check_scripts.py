#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the scripts of packaging/ without a build: check_scripts.py SOURCES.

What they would call (apt-get, sudo, the installed programs) stands in for itself and writes down that it
was called; cmake and ninja fail where no build may be.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1]).resolve()
PACKAGING = SOURCES / "packaging"
KNOWN_TODAY = "compute_75 compute_80 compute_86 compute_90 compute_100 compute_103 compute_120 compute_121"


def this_debian():
    found = re.search(r'^VERSION_ID="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
    return found.group(1) if found else "0"


def version():
    return re.search(r"project\(Headlight VERSION (\S+)", (SOURCES / "CMakeLists.txt").read_text()).group(1)


class Scripts(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name).resolve()
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.calls = self.folder / "calls"

    def run_in(self, *command, **variables):
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("DISPLAY", "WAYLAND_DISPLAY", "VIRTUAL_ENV", "CONDA_PREFIX", "TORCH_DIR",
                                 "HEADLIGHT_BUILD", "CUDACXX", "CUDA_HOME", "CUDA_PATH", "PYTHONPATH")}
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                              env={**clean, "PATH": f"{self.bin}:{os.environ['PATH']}", "TMPDIR": str(self.folder),
                                   **{name: str(value) for name, value in variables.items()}})

    def stand_in(self, name, body="exit 0"):
        script = self.bin / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.calls}"\n{body}\n')
        script.chmod(0o755)

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def torch(self, number="2.9.1", cuda="'12.6'", hip="None", config="", where="torch"):
        """A PyTorch as far as its files say what it is, in an environment that can be active."""
        package = self.folder / "site/torch"
        files = self.folder / ("site/torch" if where == "torch" else where) / "share/cmake/Torch"
        for made in (package, files):
            made.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text("raise RuntimeError('it is not to be imported')\n")
        (package / "version.py").write_text(
            f"from typing import Optional\n__version__ = '{number}'\ndebug = False\n"
            f"cuda: Optional[str] = {cuda}\nhip: Optional[str] = {hip}\n")
        (files / "TorchConfig.cmake").write_text(config)
        python = self.folder / "environment/bin/python"
        python.parent.mkdir(parents=True, exist_ok=True)
        python.write_text(f'#!/bin/sh\nPYTHONPATH="{self.folder}/site" exec "{sys.executable}" -S "$@"\n')
        python.chmod(0o755)
        return package

    def find_torch(self):
        return self.run_in(self.folder / "environment/bin/python", PACKAGING / "find_torch.py")

    def in_setup(self, commands, **variables):
        return self.run_in("bash", "-c", f'. "{PACKAGING}/setup.sh"; {commands}', **variables)

    def test_torch_of_python_is_found_without_import(self):
        package = self.torch()
        self.assertEqual(self.find_torch().stdout, f"{package}\t2.9.1\t12.6\n")
        self.torch(number="2.10.0+cpu", cuda="None")
        self.assertEqual(self.find_torch().stdout, f"{package}\t2.10.0+cpu\tcpu\n")

    def test_torch_that_does_not_fit_is_refused(self):
        for more, said in (({"number": "2.6.0+cu124"}, "2.7 or later"),
                           ({"number": "1.13.1"}, "2.7 or later"),
                           ({"hip": "'6.2'"}, "ROCm")):
            self.torch(**more)
            result = self.find_torch()
            self.assertEqual((result.returncode, result.stdout), (1, ""), more)
            self.assertIn(said, result.stderr)
        shutil.rmtree(self.folder / "site/torch/share")
        self.assertIn("no C++ files", self.find_torch().stderr)
        (self.folder / "site/torch/__init__.py").unlink()
        shutil.rmtree(self.folder / "site/torch")
        self.assertIn("has no PyTorch", self.find_torch().stderr)

    def test_older_torch_of_todays_abi_fits(self):
        self.torch(number="2.6.0+cu126", config='set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")\n')
        self.assertEqual(self.find_torch().returncode, 0)
        self.torch(number="2.6.0+cu124", config='set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")\n')
        self.assertEqual(self.find_torch().returncode, 1)

    def test_run_builds_on_the_active_environment(self):
        package = self.torch()
        for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            result = self.in_setup('use_python_torch; echo "$TORCH_DIR|$build"; torch_options',
                                   CUDACXX="no-such-nvcc", CUDA_HOME=self.folder,
                                   **{variable: self.folder / "environment"})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, rf"\n{package}\|{SOURCES}/build/torch-2\.9\.1-[0-9]+\n")
            self.assertIn(f"-DCMAKE_PREFIX_PATH={package}\n", result.stdout)
            self.assertIn("no CUDA toolkit", result.stdout)
        self.torch(cuda="None")
        result = self.in_setup("use_python_torch", CUDACXX="no-such-nvcc", CUDA_HOME=self.folder,
                               VIRTUAL_ENV=self.folder / "environment")
        self.assertNotIn("toolkit", result.stdout)

    def test_an_environment_of_conda_is_not_searched_for_others(self):
        (self.folder / "conda-meta").mkdir()
        result = self.in_setup("torch_options", TORCH_DIR=self.folder)
        self.assertEqual(result.stdout.splitlines(), [f"-DTorch_DIR={self.folder}/share/cmake/Torch",
                                                      f"-DCaffe2_DIR={self.folder}/share/cmake/Caffe2",
                                                      f"-DTORCH_LIBRARY={self.folder}/lib/libtorch.so"])
        self.assertEqual(self.in_setup("torch_options").stdout, "")

    def test_run_offers_what_is_active_and_nothing_else(self):
        self.torch()
        active = {"VIRTUAL_ENV": self.folder / "environment"}
        self.assertIn("--torch python", self.in_setup("offer_python_torch", **active).stdout)
        self.assertEqual(self.in_setup("offer_python_torch", TORCH_DIR="/x", **active).stdout, "")
        self.torch(number="2.1.0")
        result = self.in_setup("offer_python_torch", **active)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"Debian's LibTorch: PyTorch 2\.1\.0 in .* 2\.7 or later")
        shutil.rmtree(self.folder / "site/torch")
        for variables in (active, {}):
            result = self.in_setup("offer_python_torch", **variables)
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_each_libtorch_has_a_build_folder(self):
        folders = set()
        for name in ("a", "b c"):
            (self.folder / name).mkdir()
            (self.folder / name / "build-version").write_text("2.5.1+cpu\n")
            folders.add(self.in_setup('echo "$build"', TORCH_DIR=self.folder / name).stdout)
        folders.add(self.in_setup('echo "$build"').stdout)
        self.assertEqual(len(folders), 3, folders)
        self.assertEqual(sum("/torch-2.5.1-cpu-" in folder for folder in folders), 2, folders)
        self.assertIn(f"{SOURCES}/build/release\n", folders)

    def test_run_says_what_torch_takes(self):
        for name in ("cmake", "ninja", "apt-get", "sudo"):
            self.stand_in(name, "exit 1")
        for script in ("run.sh", "test.sh"):
            for arguments in (["--torch"], ["--torch", "2.9"]):
                result = self.run_in(PACKAGING / script, *arguments)
                self.assertEqual(result.returncode, 1)
                self.assertIn("--torch takes python", result.stderr)
            self.torch(number="2.6.0")
            result = self.run_in(PACKAGING / script, "--torch", "python",
                                 VIRTUAL_ENV=self.folder / "environment")
            self.assertEqual(result.returncode, 1)
            self.assertIn("2.7 or later", result.stderr)
        self.assertEqual(self.called(), [])

    def package(self, release=this_debian()):
        control = self.folder / "root/DEBIAN/control"
        control.parent.mkdir(parents=True, exist_ok=True)
        control.write_text(f"Package: headlight\nVersion: {version()}-1~deb{release}\nArchitecture: all\n"
                           "Maintainer: A <a@b.org>\nDescription: none\n")
        made = self.folder / "headlight.deb"
        built = self.run_in("dpkg-deb", "-b", control.parent.parent, made)
        self.assertEqual(built.returncode, 0, built.stderr)
        return made

    @unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb")
    def test_a_package_is_all_that_deb_installs(self):
        made = self.package()
        for name in ("cmake", "ninja"):
            self.stand_in(name, "exit 1")
        self.stand_in("sudo", 'exec "$@"')
        for name in ("apt-get", "headlight-cli"):
            self.stand_in(name)
        self.stand_in("dpkg-query", "exit 1")
        result = self.run_in(PACKAGING / "run.sh", "--deb", made)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        asked = [call for call in self.called() if call.startswith("apt-get install")]
        self.assertEqual(asked, [f"apt-get install -yq --no-install-recommends {made}"])
        self.assertFalse([call for call in self.called() if call.startswith(("cmake", "ninja"))])
        self.assertTrue([call for call in self.called() if call.startswith("headlight-cli train")])

    @unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb")
    def test_a_package_that_is_there_is_not_installed_again(self):
        made = self.package()
        for name in ("sudo", "apt-get"):
            self.stand_in(name, "exit 1")
        self.stand_in("headlight-cli")
        known = f"{version()}-1~deb{this_debian()}"
        self.stand_in("dpkg-query", f"printf %s 'install ok installed {known}'")
        result = self.run_in(PACKAGING / "run.sh", "--deb", made)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertFalse([call for call in self.called() if call.startswith(("apt-get", "sudo"))])
        self.stand_in("dpkg-query", f"printf %s 'install ok half-configured {known}'")
        self.run_in(PACKAGING / "run.sh", "--deb", made)
        self.assertTrue([call for call in self.called() if call.startswith(("apt-get", "sudo"))])

    @unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb")
    def test_a_package_that_does_not_fit_is_refused(self):
        for name in ("sudo", "apt-get"):
            self.stand_in(name, "exit 1")
        for arguments, said in (([], "needs a file"), ([self.folder / "none.deb"], "none.deb is not there"),
                                ([PACKAGING / "run.sh"], "is not a Debian package")):
            result = self.run_in(PACKAGING / "run.sh", "--deb", *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn(said, result.stderr)
        if "ID=debian\n" in pathlib.Path("/etc/os-release").read_text():
            result = self.run_in(PACKAGING / "run.sh", "--deb", self.package(release="99"))
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"for Debian 99, and this is Debian {this_debian()}", result.stderr)
        self.assertEqual(self.called(), [])

    @unittest.skipUnless(pathlib.Path("/var/lib/dpkg/info").is_dir(), "no Debian")
    def test_the_sbom_of_a_bundle_has_the_licenses_themselves(self):
        shipped, made = self.folder / "shipped.txt", self.folder / "sbom.json"
        shipped.write_text(f"{shutil.which('dpkg')}\n/lib/x86_64-linux-gnu/libc.so.6\n")
        texts = []
        for _ in range(2):
            result = self.run_in(sys.executable, PACKAGING / "sbom.py", "--output", made, "--shipped", shipped,
                                 SOURCE_DATE_EPOCH="1800000000")
            self.assertEqual(result.returncode, 0, result.stderr)
            texts.append(made.read_bytes())
        self.assertEqual(*texts)
        document = json.loads(texts[0])
        contained = {link["relatedSpdxElement"] for link in document["relationships"]
                     if link["relationshipType"] == "CONTAINS"}
        self.assertIn("SPDXRef-dpkg", contained)
        known = {text["licenseId"]: text["extractedText"] for text in document["hasExtractedLicensingInfos"]}
        self.assertIn("GNU GENERAL PUBLIC LICENSE", known["LicenseRef-common-GPL-2"])
        shipped.write_text(f"{shutil.which('dpkg')}\n{made}\n")
        result = self.run_in(sys.executable, PACKAGING / "sbom.py", "--output", made, "--shipped", shipped)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"no Debian package has {made}", result.stderr)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_kernels_are_compiled_for_what_nvcc_knows(self):
        script = self.folder / "ask.cmake"
        script.write_text(f'include("{SOURCES}/cmake/CudaArchitectures.cmake")\n'
                          'headlight_cuda_architectures("${LISTING}" chosen)\nmessage("${chosen}")\n')
        for listing, expected in ((KNOWN_TODAY, "75;80;90;100;120"), ("compute_80\ncompute_90", "80;90"),
                                  ("compute_75\ncompute_80\ncompute_86", "75;80"), ("", "75;80")):
            result = self.run_in("cmake", f"-DLISTING={listing}", "-P", script)
            self.assertEqual(result.stderr.strip(), expected, listing)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
