// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images of a run's recording as the window shows them, with the masks that were in force.
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

class RecordedImages {
 public:
  /// Opens the recording of `run`, or reads what came since. Errors: RecordedEvolution::open(), and
  /// InvalidArgument where the run trains another model than `shown`.
  Result<void> open(const std::filesystem::path& run, const ModelInfo& shown);
  /// The last point that is not after `step`. Errors: those of recordedInference().
  Result<std::shared_ptr<const RecordedView>> at(std::int64_t step, int image);

  std::vector<std::int64_t> steps() const;
  QStringList names() const;  ///< of the images: class and file

 private:
  void refresh();
  void readLogs();
  void takeImages();
  std::shared_ptr<const EvolutionScales> scales(int image);

  std::filesystem::path m_folder;
  std::optional<RecordedEvolution> m_evolution;
  std::optional<RunFollower> m_follower;
  std::shared_ptr<const Experiment> m_experiment;
  std::vector<AppliedEdit> m_edits;
  std::vector<std::shared_ptr<const Image>> m_images;  ///< one object an image, for all steps
  struct KnownScales {
    int image = -1;
    std::int64_t lastStep = -1;
    std::size_t points = 0;
    std::shared_ptr<const EvolutionScales> scales;
  };
  KnownScales m_scales;  ///< of the image shown last
};

}  // namespace headlight
