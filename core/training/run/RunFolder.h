// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The folder of one run, held against a second writer:
//   config.json               the Experiment as it began, every parameter written out, and the
//                             run's id
//   last.safetensors          weights, optimizer and position: what resuming reads
//   best.safetensors          the weights of the best validation top-1
//   epoch-0005.safetensors    the weights kept every `keep_every` epochs
//   metrics.csv, metrics.jsonl, masks.jsonl    MetricsLog.h
//   mask_fit.csv              how learned masks came to their start, where they have one
//                             (MaskFits.h)
//   evolution.bin             maps of a few images as they change (EvolutionFile.h)
//   args.yaml, summary.csv    for timm's tools (TimmArgs.h, TimmSummary.h)
//   events.out.tfevents.…     for TensorBoard, on request (EventLog.h)
// It is opened once: the run stays in it wherever it is moved to, and no link in it is followed.

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/Result.h"
#include "core/base/files/FolderLock.h"
#include "core/base/files/OpenFolder.h"
#include "core/config/Parameter.h"

namespace headlight {

inline constexpr const char *kRunConfig = "config.json", *kRunLast = "last.safetensors",
                            *kRunBest = "best.safetensors", *kTimmArgs = "args.yaml";

class RunFolder {
 public:
  /// Makes the folder if it is missing. Throws Failure: Busy where another process writes it,
  /// InvalidArgument where it holds a run already, of timm's too, UnsupportedFile where something
  /// in it is a link, a pipe or a device.
  static RunFolder create(const std::filesystem::path& path);
  static RunFolder create(HeldFolder folder);
  /// Whether it has the config or the checkpoint of a run.
  static bool holdsRun(const OpenFolder& folder);
  /// Throws Failure: NotFound where there is no run, Busy, UnsupportedFile.
  static RunFolder open(const std::filesystem::path& path);
  static RunFolder open(HeldFolder folder);

  const OpenFolder& files() const { return m_files; }
  /// Where it is now, and its files: for messages.
  std::filesystem::path path() const { return m_files.path(); }
  std::filesystem::path config() const { return m_files.pathOf(kRunConfig); }
  std::filesystem::path last() const { return m_files.pathOf(kRunLast); }
  std::filesystem::path best() const { return m_files.pathOf(kRunBest); }
  static std::string keptName(std::int64_t epoch);
  /// 5 of "epoch-0005.safetensors"; 0 of any other name.
  static std::int64_t keptEpoch(const std::string& name);

  bool hasLast() const { return m_files.has(kRunLast); }
  /// Throws Failure(InvalidFile) where there is no checkpoint, but there was one.
  void requireNoneLost() const;
  /// To be said once a checkpoint is written: from then on one that is missing was lost.
  void noteCheckpoint(std::int64_t step);

  /// Lets others write it; from here on it is only read.
  void release() { m_lock.reset(); }

  /// That the folder was deleted while a run went on, at `step`, with its newest checkpoint, of
  /// `savedStep` (negative: there was none).
  Error goneError(std::int64_t step, std::int64_t savedStep) const;

  /// `config`, and the id under its key.
  Result<void> writeConfig(Json config, const std::string& run) const;
  /// Throws Failure where it cannot be read or is no JSON.
  Json readConfig() const;

 private:
  RunFolder(OpenFolder files, FolderLock lock)
      : m_files(std::move(files)), m_lock(std::move(lock)) {}
  static HeldFolder hold(OpenFolder folder);
  static void requireRun(const OpenFolder& folder);

  OpenFolder m_files;
  std::optional<FolderLock> m_lock;  ///< nothing: released
  bool m_noted = false;
};

}  // namespace headlight
