// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/FeatureTable.h"

#include <ATen/ATen.h>

#include <cstring>
#include <set>

#include "core/base/FreeMemory.h"
#include "core/base/Translation.h"
#include "core/training/Evaluation.h"
#include "core/workbench/adapt/ImageDigest.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr std::int64_t kFeatureBatch = 32;

class FeatureSteps {
 public:
  FeatureSteps(std::string stage, std::int64_t total, const FeatureWork& work)
      : m_stage(std::move(stage)), m_total(total), m_work(work) {
    m_remaining.start(0);
  }
  void add(std::int64_t images) {
    if (m_work.stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("computing features was stopped"), ""});
    m_done += images;
    if (m_work.progress)
      m_work.progress({m_stage, m_done, m_total, m_remaining.secondsRemaining(m_done, m_total)});
  }

 private:
  std::string m_stage;
  std::int64_t m_total, m_done = 0;
  const FeatureWork& m_work;
  RemainingTime m_remaining;
};

std::vector<std::string> digestsOf(const Dataset& dataset, const FeatureWork& work) {
  const ImageDigest digest(dataset);
  FeatureSteps steps(tr("reading images"), dataset.size(), work);
  std::vector<std::string> digests;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    digests.push_back(digest(i));
    steps.add(1);
  }
  return digests;
}

/// Each content once. Those that could not be read are tried again by the loader, which says why.
std::vector<std::int64_t> missingOf(const std::vector<std::string>& digests,
                                    const FeatureStore& store) {
  std::vector<std::int64_t> missing;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const bool known = !digests[i].empty() && store.find(digests[i]);
    if (!known && (digests[i].empty() || seen.insert(digests[i]).second))
      missing.push_back(static_cast<std::int64_t>(i));
  }
  return missing;
}

void keepBatch(const Batch& batch, const at::Tensor& features,
               const std::vector<std::int64_t>& missing, const std::vector<std::string>& digests,
               FeatureStore& store) {
  const float* row = features.data_ptr<float>();
  for (const std::int64_t index : batch.indices) {
    const auto place = static_cast<std::size_t>(missing[static_cast<std::size_t>(index)]);
    if (!digests[place].empty()) store.add(digests[place], row);
    row += store.width();
  }
}

/// What could not be read.
std::vector<SkippedFile> computeMissing(FeatureReader& reader,
                                        const std::shared_ptr<const LabeledDataset>& dataset,
                                        const std::vector<std::int64_t>& missing,
                                        const std::vector<std::string>& digests,
                                        FeatureStore& store, const FeatureWork& work) {
  if (missing.empty()) return {};
  FeatureSteps steps(tr("computing features"), static_cast<std::int64_t>(missing.size()), work);
  const auto loader = evaluationLoader(std::make_shared<SubsetDataset>(dataset, missing),
                                       makePreprocessing(reader.info().experiment.model),
                                       kFeatureBatch, work.loaderThreads);
  loader->startEpoch(0);
  while (const auto batch = valueOrThrow(loader->next(work.stop))) {
    if (batch->indices.empty()) continue;
    keepBatch(*batch, reader.read(batch->images, work.stop), missing, digests, store);
    steps.add(static_cast<std::int64_t>(batch->indices.size()));
  }
  return loader->skipped();
}

/// A table in single precision, and as much in double for the fit, twice.
void requireTableMemory(std::int64_t images, std::int64_t width) {
  requireMemory(images * width * 20, tr("features of ") + std::to_string(images) + tr(" images"));
}

}  // namespace

FeatureTable readFeatures(FeatureReader& reader,
                          const std::shared_ptr<const LabeledDataset>& dataset, FeatureStore& store,
                          const FeatureWork& work) {
  requireTableMemory(dataset->size(), reader.width());
  const auto digests = digestsOf(*dataset, work);
  const auto missing = missingOf(digests, store);
  FeatureTable table;
  table.skipped = computeMissing(reader, dataset, missing, digests, store, work);
  table.computed = static_cast<std::int64_t>(missing.size() - table.skipped.size());
  std::vector<const float*> rows;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const float* row = digests[i].empty() ? nullptr : store.find(digests[i]);
    if (!row) continue;
    rows.push_back(row);
    table.indices.push_back(static_cast<std::int64_t>(i));
    table.labels.push_back(dataset->label(static_cast<std::int64_t>(i)));
  }
  table.records = at::empty({static_cast<std::int64_t>(rows.size()), reader.width()}, at::kFloat);
  float* target = table.records.data_ptr<float>();
  for (const float* row : rows) {
    std::memcpy(target, row, static_cast<std::size_t>(reader.width()) * sizeof(float));
    target += reader.width();
  }
  return table;
}

}  // namespace headlight
