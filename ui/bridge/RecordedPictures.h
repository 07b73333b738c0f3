// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pictures of a run's recording as the window shows them, with the masks that were in force.
// Blocks while it reads: for worker threads.

#include <QString>
#include <QStringList>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/runs/RunFollower.h"
#include "ui/document/RecordedView.h"

namespace headlight {

class RecordedPictures {
 public:
  /// Opens the recording of `run`, or reads what came since. Errors: RecordedEvolution::open(), and
  /// InvalidArgument where the run trains another model than `shown`.
  Result<void> open(const std::filesystem::path& run, const ModelInfo& shown);
  /// The last point that is not after `step`. Errors: those of recordedLook().
  Result<std::shared_ptr<const RecordedView>> at(std::int64_t step, int picture);

  std::vector<std::int64_t> steps() const;
  QStringList names() const;  ///< of the pictures: class and file

 private:
  void refresh();
  void readLogs();
  void takeImages();

  std::filesystem::path m_folder;
  std::optional<RecordedEvolution> m_evolution;
  std::optional<RunFollower> m_follower;
  std::shared_ptr<const Experiment> m_experiment;
  std::vector<AppliedEdit> m_edits;
  std::vector<std::shared_ptr<const Image>> m_images;  ///< one object a picture, for all steps
};

}  // namespace headlight
