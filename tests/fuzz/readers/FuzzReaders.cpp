// SPDX-License-Identifier: GPL-3.0-or-later

// Every reader of Headlight's that is not in tests/fuzz/checkpoint and tests/fuzz/imaging, under
// mutations of small valid files. What must hold: a value or an error that says something, within
// bounds of time and memory; no exception, no crash, and no error that nobody foresaw
// (ErrorCode::Internal: "not enough memory" is one).
//
//   fuzz_readers [--iterations N] [--seconds T] [--seed S] [--only NAME]
//
// N mutations of each reader's files (1000 · HEADLIGHT_TEST_EFFORT), or T seconds of the processor
// for each reader, so that the fast ones get more inputs.
//
// With HEADLIGHT_LIBFUZZER a libFuzzer target: the first byte of an input chooses the reader, the
// others are its file. HEADLIGHT_FUZZ_SEEDS=FOLDER puts the readers' valid files there, as inputs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "core/base/Log.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/Mutator.h"
#include "tests/fuzz/Turns.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {

void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // ext4 flushes a file that is cut and written anew
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  require(file.good(), "could not write " + path.string());
}

namespace {

struct Outcome {
  bool isAccepted = false;
  std::string trouble;  ///< what a reader must not do; empty: nothing of it
};

Outcome readOnce(const Target& target, const std::string& bytes) {
  try {
    const Result<void> result = target.read(bytes);
    if (result) return {true, {}};
    if (result.error().code == ErrorCode::Internal) return {false, result.error().text()};
    if (result.error().message.empty()) return {false, "an error without a message"};
  } catch (const std::exception& exception) {
    return {false, std::string("an exception: ") + exception.what()};
  }
  return {};
}

std::vector<Target> makeTargets(const std::filesystem::path& folder) {
  std::vector<Target> targets = configTargets();
  for (const auto& more : {resultTargets(), boxTargets(), runTargets(folder), weightTargets(folder),
                           mapTargets(folder), hubTargets(folder), promptTargets(folder),
                           videoTargets(folder), dataTargets(folder)})
    targets.insert(targets.end(), more.begin(), more.end());
  return targets;
}

/// Their files lie in a folder of this process.
const std::vector<Target>& allTargets() {
  static const TemporaryFolder folder;
  static const std::vector<Target> targets = makeTargets(folder.path());
  return targets;
}

void beQuiet() {
  setLogSink([](LogLevel, const std::string&) {});
}

/// Leaves those that are there already: other processes may be reading them.
void writeSeeds(const std::filesystem::path& folder) {
  const auto& targets = allTargets();
  require(targets.size() <= 256, "a byte cannot choose among so many readers");
  for (std::size_t t = 0; t < targets.size(); ++t)
    for (std::size_t f = 0; f < targets[t].files.size(); ++f) {
      const auto path = folder / ("reader-" + std::to_string(t) + "-" + std::to_string(f));
      if (!std::filesystem::exists(path))
        writeBytes(path, static_cast<char>(t) + targets[t].files[f]);
    }
}

}  // namespace
}  // namespace headlight::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  headlight::fuzz::beQuiet();
  if (const char* folder = std::getenv("HEADLIGHT_FUZZ_SEEDS")) headlight::fuzz::writeSeeds(folder);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto& targets = headlight::fuzz::allTargets();
  const auto& target = targets[data[0] % targets.size()];
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto outcome = headlight::fuzz::readOnce(target, bytes);
  headlight::fuzz::require(outcome.trouble.empty(), target.name + ": " + outcome.trouble);
  return 0;
}

#ifndef HEADLIGHT_LIBFUZZER
namespace headlight::fuzz {
namespace {

/// One line is damaged as JSON, or the whole as text.
std::string mutateLines(Mutator& mutator, const std::string& text, const std::string& other) {
  if (mutator.below(2) == 0) return mutator.mutateText(text, other);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::string& line = lines[mutator.below(lines.size())];
  line = mutator.mutateJson(line, other);
  std::string result;
  for (const std::string& each : lines)
    result += each + "\n";
  return result;
}

std::string damaged(Mutator& mutator, const Target& target) {
  const std::string& file = target.files[mutator.below(target.files.size())];
  const std::string& other = target.files[mutator.below(target.files.size())];
  switch (target.kind) {
    case Kind::Bytes:
      return mutator.mutate(file, other);
    case Kind::Text:
      return mutator.mutateText(file, other);
    case Kind::Json:
      return mutator.mutateJson(file, other);
    case Kind::Lines:
      break;
  }
  return mutateLines(mutator, file, other);
}

/// True where it was accepted. What broke is kept for a closer look.
bool check(const Target& target, const std::string& bytes, const std::string& what) {
  announce(what);
  const Outcome outcome = readOnce(target, bytes);
  if (outcome.trouble.empty()) return outcome.isAccepted;
  const auto kept = std::filesystem::temp_directory_path() / "fuzz_readers-input";
  writeBytes(kept, bytes);
  require(false, what + ": " + outcome.trouble + "\nthe input is kept in " + kept.string());
  return false;
}

long fuzz(const Target& target, const Turns& turns) {
  for (const std::string& file : target.files) {
    const Result<void> whole = target.read(file);
    require(whole.ok(),
            target.name + " is refused as it is" + (whole.ok() ? "" : ": " + whole.error().text()));
  }
  Mutator mutator(turns.seed);
  long accepted = 0;
  double slowest = 0;
  const std::clock_t begin = std::clock();
  long i = 0;
  for (; turns.goOn(i, begin); ++i) {
    const std::clock_t started = std::clock();
    accepted += check(
        target, damaged(mutator, target),
        target.name + ", seed " + std::to_string(turns.seed) + ", iteration " + std::to_string(i));
    slowest = std::max(slowest, secondsSince(started));
  }
  std::printf("%-28s %ld mutations, %ld of them accepted, %.1f s, the slowest %.3f s\n",
              target.name.c_str(), i, accepted, secondsSince(begin), slowest);
  std::fflush(stdout);
  return i;
}

}  // namespace
}  // namespace headlight::fuzz

int main(int count, char** arguments) {
  using namespace headlight::fuzz;
  std::vector<std::string> rest(arguments + 1, arguments + count);
  const Turns turns = takeTurns(rest, 1000);
  const std::string only = takeArgument(rest, "--only");
  beQuiet();
  const auto& targets = allTargets();
  limitMemory();
  long mutations = 0;
  for (const Target& target : targets)
    if (target.name.find(only) != std::string::npos) mutations += fuzz(target, turns);
  std::printf("%ld mutations, seed %llu\n", mutations, static_cast<unsigned long long>(turns.seed));
  return mutations > 0 ? 0 : 2;
}
#endif
