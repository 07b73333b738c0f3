#pragma once
// The folder of one run, held against a second writer:
//   config.json            the Experiment as it began, every parameter written out
//   last.safetensors       weights, optimiser and position: what resuming reads
//   best.safetensors       the weights of the best validation top-1
//   epoch-0005.safetensors the weights kept every `keep_every` epochs
//   metrics.csv, metrics.jsonl, masks.jsonl   (MetricsLog.h)
//   mask_fit.csv           how learned masks came to their start, where they have one (MaskFits.h)

#include <filesystem>

#include "core/base/Files.h"
#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

class RunFolder {
 public:
  /// Makes the folder if it is missing. Throws Failure: Busy where another process writes it,
  /// InvalidArgument where it holds a run already.
  static RunFolder create(const std::filesystem::path& path);
  /// Throws Failure: NotFound where there is no run, Busy.
  static RunFolder open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path config() const { return m_path / "config.json"; }
  std::filesystem::path last() const { return m_path / "last.safetensors"; }
  std::filesystem::path best() const { return m_path / "best.safetensors"; }
  std::filesystem::path kept(std::int64_t epoch) const;
  bool hasLast() const;

  Result<void> writeConfig(const Experiment& experiment) const;

 private:
  RunFolder(std::filesystem::path path, FolderLock lock)
      : m_path(std::move(path)), m_lock(std::move(lock)) {}

  std::filesystem::path m_path;
  FolderLock m_lock;
};

}  // namespace headlight
