// SPDX-License-Identifier: GPL-3.0-or-later

// An exported folder trains elsewhere, by every launcher that is written into it.

#include "tests/FreePort.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

/// Starts every process of a job as torchrun and mpirun do, and says how it was called.
constexpr const char* kStart = R"(
start() {  # processes, command
  all=$1; shift
  [ -z "$CALLED" ] || echo "$all: $*" >> "$CALLED"
  rank=0
  while [ "$rank" -lt "$all" ]; do
    RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=$all LOCAL_WORLD_SIZE=$all MASTER_ADDR=127.0.0.1 \
      MASTER_PORT=$PORT "$@" &
    rank=$((rank + 1))
  done
  wait
}
)";

/// After VERSION, what it says of itself, and FLAGS, the only ones that it takes.
constexpr const char* kMpirun = R"(
[ "$1" != --version ] || { echo "$VERSION"; exit 0; }
[ "$3 $4" = "$FLAGS" ] || exit 9
all=$2; shift 4
start "$all" "$@"
)";

class ExportCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    // Weights of this machine, a mask edit in the middle: what a config alone would lose.
    write("first.json", tinyTraining());
    expectOk(run({"train", "first.json", "--run", "first"}));
    auto config = tinyTraining();
    config["threads"] = 1;
    config["training"]["weights"] = "first/last.safetensors";
    config["edits"] = {{{"step", 5}, {"changes", {{{"layer", 0}, {"head", 1}, {"to", "hard:3"}}}}}};
    write("config.json", config);
  }

  Outcome exported(const Arguments& more = {}) const {
    Arguments all = {"export", "config.json", "--output", "out/mine"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  /// A program on the path of `started`.
  void writeProgram(const std::string& name, const std::string& text) const {
    fs::create_directories(path("bin"));
    write("bin/" + name, "#!/bin/sh\n" + std::string(kStart) + text);
    fs::permissions(path("bin") / name, fs::perms::owner_all);
  }
  void writeMpirun(const std::string& kind) const { writeProgram("mpirun", kind + kMpirun); }
  /// `line` in the folder that the export was taken to.
  Outcome started(const std::string& line) const {
    const std::string where = path("bin").string();
    return shell("export PATH=" + where +
                     ":$PATH HEADLIGHT=\"$CLI\" PORT=" + std::to_string(freePort()) +
                     " CALLED=" + path("called").string() + "; cd there && " + line,
                 options());
  }
  void takeElsewhere() const {
    fs::rename(path("out/mine"), path("there"));
    fs::rename(path("first"), path("gone"));
  }
  void expectSame(const std::string& folder, const Tensors& expected) const {
    const auto last = readTensors(path(folder) / "last.safetensors");
    ASSERT_EQ(last.size(), expected.size());
    for (const auto& [name, tensor] : expected)
      EXPECT_EQ(last.at(name), tensor) << name;
  }
};

TEST_F(ExportCliTest, EveryLauncherTrainsTheSameElsewhere) {
  expectOk(run({"train", "config.json", "--run", "here"}));
  const auto expected = readTensors(path("here") / "last.safetensors");
  expectOk(exported({"--processes", "2"}));
  takeElsewhere();
  expectOk(started("RUN=alone ./run.sh"));
  expectSame("there/alone", expected);
  writeProgram("torchrun", R"(
while [ "$1" != --nproc_per_node ]; do shift; done
all=$2
while [ "$1" != -t ]; do shift; done
shift 2
start "$all" "$@"
)");
  expectOk(started("RUN=two ./torchrun.sh"));
  writeMpirun("VERSION='mpirun (Open MPI) 4.1.4' FLAGS='--bind-to none'");
  expectOk(started("RUN=open ./mpirun.sh"));
  writeMpirun("VERSION='HYDRA build details' FLAGS='-ppn 2'");
  expectOk(started("RUN=mpich ./mpirun.sh"));
  // Two processes round otherwise than one; among each other they are the same.
  const auto two = readTensors(path("there/two") / "last.safetensors");
  expectSame("there/open", two);
  expectSame("there/mpich", two);
  EXPECT_EQ(readBytes(path("called")).substr(0, 3), "2: ");
}

TEST_F(ExportCliTest, AStartedScriptGoesOnAndTakesMoreArguments) {
  expectOk(exported());
  takeElsewhere();
  expectOk(started("./run.sh --training.epochs 1 --json"));
  const auto config = json::parse(readBytes(path("there/run/config.json")));
  EXPECT_EQ(config["training"]["epochs"], 1);
  EXPECT_EQ(config["edits"].size(), 1u);
  const Outcome again = started("./run.sh --json");
  expectOk(again);
  EXPECT_NE(again.out.find("\"resumed\":true"), std::string::npos);
}

TEST_F(ExportCliTest, ASlurmJobThatIsWarnedIsQueuedAgain) {
  expectOk(exported({"--machines", "4", "--processes", "8", "--cores", "6", "--hours", "1.5"}));
  takeElsewhere();
  const std::string script = readBytes(path("there/slurm.sbatch"));
  for (const char* wish : {"nodes=4", "ntasks-per-node=8", "cpus-per-task=6", "time=01:30:00",
                           "requeue", "signal=USR1@120"})
    EXPECT_NE(script.find(std::string("#SBATCH --").append(wish)), std::string::npos) << wish;
  writeProgram("scontrol", "echo \"$@\" >> \"$CALLED\"\n");
  writeProgram("srun", "exit 138\n");
  const std::string job =
      "SLURM_JOB_ID=17 SLURM_CPUS_PER_TASK=6 SLURM_SUBMIT_DIR=$PWD sh slurm.sbatch";
  EXPECT_EQ(started(job).exitCode, 138);
  EXPECT_EQ(readBytes(path("called")), "requeue 17\n");
  writeProgram("srun", "exit 3\n");
  EXPECT_EQ(started(job).exitCode, 3);
  EXPECT_EQ(readBytes(path("called")), "requeue 17\n");
  writeProgram("srun", "[ \"$1 $2\" = \"--cpus-per-task 6\" ] || exit 9; shift 2; exec \"$@\"\n");
  expectOk(started(job));
  EXPECT_TRUE(fs::exists(path("there/run/last.safetensors")));
}

TEST_F(ExportCliTest, NamesThatAShellWouldReadOtherwiseAreKept) {
  const std::string name = "it's a }\"run\" $(false)";
  expectOk(exported({"--run_folder", name, "--name", "a\nb`c`$(exit)"}));
  takeElsewhere();
  expectOk(started("./run.sh"));
  EXPECT_TRUE(fs::exists(path("there") / name / "last.safetensors"));
}

TEST_F(ExportCliTest, DataAreSoughtWhereTheyLieThere) {
  const fs::path images = smallImages();
  expectOk(exported({"--data.dataset", "image-folder", "--data.path", images.string(),
                     "--data_folder", "/scratch/mine"}));
  const auto config = json::parse(readBytes(path("out/mine/config.json")));
  EXPECT_EQ(config["data"]["path"], "/scratch/mine");
  takeElsewhere();
  expectError(started("./run.sh"), 3, {"/scratch/mine"});
  expectOk(started("DATA='" + images.string() + "' ./run.sh"));
}

TEST_F(ExportCliTest, ARunIsExportedWithItsEdits) {
  expectOk(run({"train", "config.json", "--run", "edited"}));
  expectOk(run({"export", "edited", "--output", "again.json"}));
  const auto config = json::parse(readBytes(path("again.json")));
  ASSERT_EQ(config["edits"].size(), 1u);
  EXPECT_EQ(config["edits"][0]["step"], 5);
  expectOk(run({"train", "again.json", "--run", "again"}));
  expectSame("again", readTensors(path("edited") / "last.safetensors"));
  // A checkpoint has the masks that it was saved with.
  expectOk(run({"export", "edited/last.safetensors", "--output", "masked.json"}));
  EXPECT_NE(readBytes(path("masked.json")).find("hard:3"), std::string::npos);
}

TEST_F(ExportCliTest, WhatCannotBeExportedIsSaid) {
  expectError(run({"export"}), 2, {"needs a CONFIG"});
  expectError(run({"export", "config.json"}), 2, {"--output FOLDER"});
  expectError(run({"export", "none.json", "--output", "o"}), 3, {"none.json"});
  expectError(run({"export", "config.json", "--output", "first"}), 2, {"contains a run"});
  expectError(exported({"--machines", "0"}), 2, {"machines", "1 to 65536"});
  expectError(exported({"--data_folder", "here"}), 2, {"data_folder", "absolute path"});
  expectError(exported({"--run_folder", "a\nb"}), 2, {"run_folder", "line break"});
  expectError(exported({"--weights", "none.pth"}), 3, {"none.pth"});
  expectError(exported({"--leave-weights"}), 2, {"needs a config"});
  expectError(run({"export", "config.json", "--output", "o.json", "--machines", "2"}), 2,
              {"names no machines"});
  write("file", std::string("no folder"));
  expectError(run({"export", "config.json", "--output", "file"}), 5, {"file"});
  fs::create_directory(path("own"));
  write("own/config.json", std::string("{}"));
  expectError(run({"export", "config.json", "--output", "own"}), 2, {"not written by an export"});
  EXPECT_EQ(readBytes(path("own/config.json")), "{}");
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace headlight::testing
