// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A summary of the dataset that the data section names, in a sentence.

#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/config/Experiment.h"
#include "core/workbench/session/Datasets.h"

namespace headlight {

struct DatasetSummary {
  std::string of;  ///< datasetKey of its settings
  QString error;   ///< empty: fine
  std::int64_t train = 0, validation = 0;
  std::vector<std::string> classNames;
  std::vector<std::string> contents;  ///< of data with boxes or segments, a line each
  std::vector<std::string> notes;     ///< how the data is read (Dataset::notes)
};

/// Equal for two Experiments with the same data.
std::string datasetKey(const Experiment& experiment);
/// Opens both splits. Reads the disk: not for the window's thread.
DatasetSummary summarizeDataset(const DatasetSpec& spec, const std::string& key);
/// The kind of dataset found in a folder.
struct FoundData {
  std::string kind;  ///< of datasetKinds(); empty: none
  QString why;       ///< why no dataset was found
};
/// Reads the disk: not for the window's thread.
FoundData lookForData(const std::filesystem::path& path);

/// "2,000 images, 9 classes, 62 steps per epoch; …", and a note if the model gets a new head.
QString datasetSentence(const DatasetSummary& summary, const Experiment& experiment);

}  // namespace headlight
