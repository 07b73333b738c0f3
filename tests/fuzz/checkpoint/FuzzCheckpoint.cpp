// Any bytes through the checkpoint readers. What must hold: no crash, no error that nobody foresaw
// (ErrorCode::Internal), and of what is accepted, tensors that can be read from end to end, be
// written and come back, and be planned onto a model.
//
//   fuzz_checkpoint [--iterations N] [--seed S] FILE…     mutations of the files, N in all
//
// A .pth is fuzzed twice over: as bytes, where its checksums stop most mutations, and as a pickle
// in an archive that is made anew around it.

#include <ATen/core/Tensor.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/base/Files.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/ZipArchive.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight {
namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_checkpoint: %s\n", what.c_str());
  std::abort();
}

volatile unsigned char g_sum = 0;  // so that reading the tensors is not optimised away

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
    const std::string content = archive.read(entry, 1 << 26);
    const std::size_t key = entry.name.find("/data/");
    if (key != std::string::npos) pickle.storages[entry.name.substr(key + 6)] = content;
    if (entry.name.ends_with("/data.pkl")) pickle.bytes = content;
  }
  inputs.push_back(std::move(pickle));
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : m_random(seed) {}

  std::size_t below(std::size_t count) { return count == 0 ? 0 : m_random() % count; }

  std::string mutate(std::string bytes, const std::string& other) {
    for (std::size_t left = 1 + below(4); left > 0; --left)
      mutateOnce(bytes, other);
    return bytes;
  }

 private:
  /// Structure stands at the beginning and the end of these formats.
  std::size_t place(const std::string& bytes) {
    constexpr std::size_t kNear = 6000;
    const std::size_t span = std::min(bytes.size(), kNear);
    switch (below(3)) {
      case 0:
        return below(span);
      case 1:
        return bytes.size() - span + below(span);
      default:
        return below(bytes.size());
    }
  }

  void overwrite(std::string& bytes, std::uint64_t value, std::size_t size) {
    const std::size_t at = place(bytes);
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
      bytes[at + i] = static_cast<char>(value >> (8 * i));
  }

  void mutateOnce(std::string& bytes, const std::string& other) {
    static constexpr std::uint64_t kTelling[] = {0,          1,          0x7F,       0x80,
                                                 0xFF,       0x7FFF,     0xFFFF,     0x7FFFFFFF,
                                                 0xFFFFFFFF, 1ULL << 62, 1ULL << 63, ~0ULL};
    const std::size_t length = 1 + below(below(8) == 0 ? 2000 : 16);
    const std::size_t at = place(bytes);
    switch (below(7)) {
      case 0:
        if (!bytes.empty()) bytes[at] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
        overwrite(bytes, m_random(), 1);
        break;
      case 2:
        overwrite(bytes, kTelling[below(std::size(kTelling))], 1ULL << below(4));
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(place(bytes), length));
        break;
      case 5:
        bytes.insert(at, other.substr(below(other.size()), length));
        break;
      default: {  // a digit of JSON, or an instruction
        static constexpr char kCharacters[] =
            "0123456789-.,:[]{}\"()tuaseRbQhqXKJMN\x81\x85\x86\x93";
        if (!bytes.empty()) bytes[at] = kCharacters[below(sizeof kCharacters - 1)];
      }
    }
  }

  std::mt19937_64 m_random;
};

volatile std::sig_atomic_t g_iteration = 0;

void reportCrash(int signal) {
  char text[96];
  const int size = std::snprintf(text, sizeof text, "fuzz_checkpoint: signal %d in iteration %d\n",
                                 signal, static_cast<int>(g_iteration));
  if (::write(STDERR_FILENO, text, static_cast<std::size_t>(size)) < 0) std::_Exit(2);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int fuzz(const std::vector<Input>& inputs, long iterations, std::uint64_t seed) {
  for (const Input& input : inputs)
    require(input.isPickle ? checkPickle(input.bytes, input.storages) : checkBytes(input.bytes),
            "a file is refused as it is");
  Mutator mutator(seed);
  long accepted = 0;
  for (long i = 0; i < iterations; ++i) {
    g_iteration = static_cast<std::sig_atomic_t>(i);
    const Input& input = inputs[mutator.below(inputs.size())];
    const std::string& other = inputs[mutator.below(inputs.size())].bytes;
    const std::string bytes = mutator.mutate(input.bytes, other);
    accepted += input.isPickle ? checkPickle(bytes, input.storages) : checkBytes(bytes);
  }
  std::printf("%ld mutations of %zu inputs, seed %llu: %ld accepted, the others refused\n",
              iterations, inputs.size(), static_cast<unsigned long long>(seed), accepted);
  return 0;
}

}  // namespace
}  // namespace headlight

int main(int argc, char** argv) {
  long iterations = 1000;
  std::uint64_t seed = 1;
  std::vector<headlight::Input> inputs;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--iterations") == 0 && i + 1 < argc) {
      iterations = std::atol(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      headlight::addInputs(argv[i], inputs);
    }
  }
  if (inputs.empty()) {
    std::fprintf(stderr, "usage: fuzz_checkpoint [--iterations N] [--seed S] FILE...\n");
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
    std::signal(signal, headlight::reportCrash);
  return headlight::fuzz(inputs, iterations, seed);
}
#endif
