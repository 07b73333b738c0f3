// SPDX-License-Identifier: GPL-3.0-or-later

// Every reader of Headlight's that is not in tests/fuzz/checkpoint and tests/fuzz/imaging, under
// mutations of small valid files. What must hold: a value or an error that says something, within
// bounds of time and memory; no exception, no crash, and no error that nobody foresaw
// (ErrorCode::Internal: "not enough memory" is one).
//
//   fuzz_readers [--iterations N] [--seed S] [--only NAME]     N mutations of each reader's files;
//                                                             1000 · HEADLIGHT_TEST_EFFORT

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include "core/base/Log.h"
#include "tests/Effort.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/Mutator.h"
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

struct Options {
  long iterations = 1000 * testEffort();
  std::uint64_t seed = 1;
  std::string only;
};

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
  std::string trouble;
  try {
    const Result<void> result = target.read(bytes);
    if (result) return true;
    if (result.error().message.empty()) trouble = "an error without a message";
    if (result.error().code == ErrorCode::Internal) trouble = result.error().text();
  } catch (const std::exception& exception) {
    trouble = std::string("an exception: ") + exception.what();
  }
  if (trouble.empty()) return false;
  const auto kept = std::filesystem::temp_directory_path() / "fuzz_readers-input";
  writeBytes(kept, bytes);
  require(false, what + ": " + trouble + "\nthe input is kept in " + kept.string());
  return false;
}

/// Of the processor.
double secondsBetween(std::clock_t begin, std::clock_t end) {
  return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
}

long fuzz(const Target& target, const Options& options) {
  for (const std::string& file : target.files) {
    const Result<void> whole = target.read(file);
    require(whole.ok(),
            target.name + " is refused as it is" + (whole.ok() ? "" : ": " + whole.error().text()));
  }
  Mutator mutator(options.seed);
  long accepted = 0;
  double slowest = 0;
  const std::clock_t begin = std::clock();
  for (long i = 0; i < options.iterations; ++i) {
    const std::clock_t started = std::clock();
    accepted += check(target, damaged(mutator, target),
                      target.name + ", seed " + std::to_string(options.seed) + ", iteration " +
                          std::to_string(i));
    slowest = std::max(slowest, secondsBetween(started, std::clock()));
  }
  std::printf("%-28s %ld mutations, %ld of them accepted, %.1f s, the slowest %.3f s\n",
              target.name.c_str(), options.iterations, accepted,
              secondsBetween(begin, std::clock()), slowest);
  std::fflush(stdout);
  return options.iterations;
}

std::vector<Target> allTargets(const std::filesystem::path& folder) {
  std::vector<Target> targets = configTargets();
  for (const auto& more : {resultTargets(), boxTargets(), runTargets(folder), weightTargets(folder),
                           mapTargets(folder), hubTargets(folder), promptTargets(folder),
                           videoTargets(folder), dataTargets(folder)})
    targets.insert(targets.end(), more.begin(), more.end());
  return targets;
}

Options optionsOf(int count, char** arguments) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--iterations") == 0)
      options.iterations = std::atol(arguments[i + 1]);
    if (std::strcmp(arguments[i], "--seed") == 0)
      options.seed = std::strtoull(arguments[i + 1], nullptr, 10);
    if (std::strcmp(arguments[i], "--only") == 0) options.only = arguments[i + 1];
  }
  return options;
}

}  // namespace
}  // namespace headlight::fuzz

int main(int count, char** arguments) {
  using namespace headlight::fuzz;
  const Options options = optionsOf(count, arguments);
  headlight::setLogSink([](headlight::LogLevel, const std::string&) {});
  const headlight::TemporaryFolder folder;
  const auto targets = allTargets(folder.path());
  limitMemory();
  long mutations = 0;
  for (const Target& target : targets)
    if (target.name.find(options.only) != std::string::npos) mutations += fuzz(target, options);
  std::printf("%ld mutations, seed %llu\n", mutations,
              static_cast<unsigned long long>(options.seed));
  return mutations > 0 ? 0 : 2;
}
