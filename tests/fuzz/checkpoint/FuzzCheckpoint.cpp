// SPDX-License-Identifier: GPL-3.0-or-later

// Any bytes through the checkpoint readers. What must hold: no crash, no error that nobody foresaw
// (ErrorCode::Internal), and of what is accepted, tensors that can be read from end to end, be
// written and come back, and be planned onto a model.
//
//   fuzz_checkpoint [--iterations N] [--seconds T] [--seed S] FILE…
//
// N mutations of the files in all, or as many as take T seconds of the processor.
//
// Times HEADLIGHT_TEST_EFFORT (tests/README.md). A .pth is fuzzed twice over: as bytes, where its
// checksums stop most mutations, and as a pickle in an archive that is made anew around it.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/base/files/Files.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/ZipArchive.h"
#include "tests/checkpoint/FileBuilders.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/Mutator.h"
#include "tests/fuzz/Turns.h"

namespace headlight {
namespace {

using fuzz::require;

volatile unsigned char g_sum = 0;  // so that reading the tensors is not optimized away

/// True if it was accepted.
bool check(const Result<Checkpoint>& result) {
  if (!result) {
    require(result.error().code != ErrorCode::Internal, result.error().text());
    require(!result.error().message.empty(), "an error without a message");
    return false;
  }
  for (const auto& [name, tensor] : result->tensors) {
    require(tensor.is_contiguous() && tensor.device().is_cpu(), "a tensor is not as promised");
    const auto* bytes = static_cast<const unsigned char*>(tensor.data_ptr());
    for (std::size_t i = 0; i < tensor.nbytes(); ++i)
      g_sum = g_sum + bytes[i];
  }
  const PositionLayout layout{1, 3, 5};
  NamedTensors model;
  for (const auto& [name, tensor] : result->tensors)
    model.emplace_back(name, tensor.dim() == 3 ? tensor.new_zeros({1, 16, tensor.size(2)})
                                               : tensor.new_zeros(tensor.sizes()));
  const auto plan = planLoad(model, *result, layout);
  require(plan.ok(), "could not be planned");
  require(applyLoad(model, *plan).ok(), "could not be applied");
  require(!plan->report.summary().empty(), "no summary");
  return true;
}

using Storages = std::map<std::string, std::string>;

bool checkBytes(std::string_view bytes) {
  const bool safetensors = check(parseSafetensors(bytes, "fuzz"));
  return check(parsePth(bytes, "fuzz")) || safetensors;
}

bool checkPickle(std::string_view pickle, const Storages& storages) {
  return check(parsePth(testing::pthBytes(std::string(pickle), storages), "fuzz"));
}

}  // namespace
}  // namespace headlight

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  headlight::checkBytes(bytes);
  static const headlight::Storages kStorages{{"0", std::string(256, '\1')}, {"1", ""}};
  if (bytes.starts_with('\x80')) headlight::checkPickle(bytes, kStorages);
  return 0;
}

#ifndef HEADLIGHT_LIBFUZZER
namespace headlight {
namespace {

struct Input {
  std::string bytes;
  bool isPickle = false;
  Storages storages;  ///< of a pickle
};

void addInputs(const std::string& path, std::vector<Input>& inputs) {
  const std::string bytes = valueOrThrow(readFile(path, 1 << 26));
  inputs.push_back({bytes, false, {}});
  if (!bytes.starts_with("PK")) return;
  const auto source = ByteSource::overMemory(bytes, path);
  const ZipArchive archive(*source);
  Input pickle{"", true, {}};
  for (const ZipEntry& entry : archive.entries()) {
    if (entry.compressed) continue;  // the code of TorchScript
    const std::string content = archive.read(entry, 1 << 26);
    const std::size_t key = entry.name.find("/data/");
    if (key != std::string::npos) pickle.storages[entry.name.substr(key + 6)] = content;
    if (entry.name.ends_with("/data.pkl")) pickle.bytes = content;
  }
  inputs.push_back(std::move(pickle));
}

int fuzzAll(const std::vector<Input>& inputs, const fuzz::Turns& turns) {
  for (const Input& input : inputs)
    require(input.isPickle ? checkPickle(input.bytes, input.storages) : checkBytes(input.bytes),
            "a file is refused as it is");
  fuzz::Mutator mutator(turns.seed);
  long accepted = 0, i = 0;
  for (const std::clock_t begin = std::clock(); turns.goOn(i, begin); ++i) {
    fuzz::announce("fuzz_checkpoint, seed " + std::to_string(turns.seed) + ", iteration " +
                   std::to_string(i));
    const Input& input = inputs[mutator.below(inputs.size())];
    const std::string& other = inputs[mutator.below(inputs.size())].bytes;
    const std::string bytes = mutator.mutate(input.bytes, other);
    accepted += input.isPickle ? checkPickle(bytes, input.storages) : checkBytes(bytes);
  }
  std::printf("%ld mutations of %zu inputs, seed %llu: %ld accepted, the others refused\n", i,
              inputs.size(), static_cast<unsigned long long>(turns.seed), accepted);
  return 0;
}

}  // namespace
}  // namespace headlight

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  const headlight::fuzz::Turns turns = headlight::fuzz::takeTurns(files, 1000);
  std::vector<headlight::Input> inputs;
  for (const std::string& file : files)
    headlight::addInputs(file, inputs);
  if (inputs.empty()) {
    std::fprintf(stderr,
                 "usage: fuzz_checkpoint [--iterations N] [--seconds T] [--seed S] FILE...\n");
    return 2;
  }
  headlight::fuzz::limitMemory();
  return headlight::fuzzAll(inputs, turns);
}
#endif
