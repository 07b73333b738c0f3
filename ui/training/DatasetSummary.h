// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What lies where the data section says, in a sentence.

#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/config/Experiment.h"
#include "core/workbench/session/Datasets.h"

namespace headlight {

struct DatasetSummary {
  std::string of;  ///< datasetKey of the settings that it belongs to
  QString error;   ///< empty: fine
  std::int64_t train = 0, validation = 0;
  std::vector<std::string> classNames;
  std::vector<std::string> notes;  ///< how the data is read (Dataset::notes)
};

/// Equal where two Experiments see the same data.
std::string datasetKey(const Experiment& experiment);
/// Opens both splits. Takes as long as the disk does: not for the window's thread.
DatasetSummary summariseDataset(const DatasetSpec& spec, const std::string& key);
/// What a place holds that somebody named as data.
struct FoundData {
  std::string kind;  ///< of datasetKinds(); empty: none
  QString why;       ///< there is none
};
/// Takes as long as the disk does.
FoundData lookForData(const std::filesystem::path& path);

/// "2,000 images, 9 classes, 62 steps an epoch; …", and what becomes of the model's head.
QString datasetSentence(const DatasetSummary& summary, const Experiment& experiment);

}  // namespace headlight
