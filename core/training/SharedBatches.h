// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The batches of a run, of which each process has its rows. Between reading and computing the
// processes agree: on whether anybody was told to stop, or failed, and on which images could be
// read.

#include <memory>

#include "core/data/Loader.h"
#include "core/processes/Processes.h"

namespace headlight {

class SharedBatches {
 public:
  /// `processes` null: all of it is here. Else the loader's part is that of this process.
  explicit SharedBatches(std::unique_ptr<Loader> loader,
                         std::shared_ptr<Processes> processes = nullptr)
      : m_loader(std::move(loader)), m_processes(std::move(processes)) {}

  const Loader& loader() const { return *m_loader; }
  Processes* processes() const { return m_processes.get(); }
  std::int64_t perEpoch() const { return m_loader->batchesPerEpoch(); }
  void startEpoch(std::int64_t epoch, std::int64_t firstBatch = 0) {
    m_loader->startEpoch(epoch, firstBatch);
  }
  /// As Loader::next. Canceled where any process was told to stop; Io where any could not read.
  /// Where damaged files were skipped, the rows that are left are dealt anew.
  Result<std::optional<Batch>> next(std::stop_token stop);

 private:
  Result<std::optional<Batch>> agreedOn(Result<std::optional<Batch>> here, std::stop_token stop);
  Batch dealtAnew(const Batch& here, const at::Tensor& present);

  std::unique_ptr<Loader> m_loader;
  std::shared_ptr<Processes> m_processes;
};

/// Loader options of the part of `processes` that is this one; null: of the whole.
void takePart(LoaderOptions& options, const Processes* processes);

/// For a batch that every process has whole, the part of this one; null: all of it.
Batch ownShare(Batch whole, const Processes* processes);

}  // namespace headlight
