// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Labels known without decoding, and what follows from them: a validation share taken from every
// class alike, and a limit on the number of samples spread over the classes.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/Dataset.h"

namespace headlight {

class LabeledDataset : public Dataset {
 public:
  /// In [0, classNames().size()), 0 where the dataset has boxes or segments; costs
  /// nothing.
  virtual int label(std::int64_t index) const = 0;
  /// Whether there is something to learn from it: not from an image without boxes (mayLearn() in
  /// core/data/boxes/BoxGeometry.h), which training leaves out. Costs nothing.
  virtual bool teaches(std::int64_t) const { return true; }
};

/// A dataset as found on disk, before any share or limit is taken from it.
struct OpenedSource {
  std::unique_ptr<LabeledDataset> dataset;
  /// The place has no validation split of its own: `dataset` is the training data, to be shared
  /// out.
  bool shareOut = false;
};

std::vector<int> readLabels(const LabeledDataset& dataset);

/// The positions, ascending, that belong to `split` when `fraction` of every class goes to
/// validation: rounded, at least one of a class of two or more, and never all of a class. The two
/// splits are disjoint and complete.
std::vector<std::int64_t> stratifiedSplit(const std::vector<int>& labels, double fraction,
                                          std::uint64_t seed, Split split);

/// `fraction` in (0, 1] of every class of `indices`, ascending: rounded, at least one; the first of
/// a seeded order, so that a smaller share's samples are among a larger one's.
std::vector<std::int64_t> fractionOfSamples(const std::vector<std::int64_t>& indices,
                                            const std::vector<int>& labels, double fraction,
                                            std::uint64_t seed);

/// At most `maxSamples` of `indices`, ascending: one of every class, then a second of every class,
/// … in a seeded order, so that a smaller limit's samples are among a larger one's.
std::vector<std::int64_t> limitedSamples(const std::vector<std::int64_t>& indices,
                                         const std::vector<int>& labels, std::int64_t maxSamples,
                                         std::uint64_t seed);

/// The samples `indices` of `source`, in that order; ascending, where the source has shards.
class SubsetDataset : public LabeledDataset {
 public:
  /// `notes` are said after the source's own.
  SubsetDataset(std::shared_ptr<const LabeledDataset> source, std::vector<std::int64_t> indices,
                std::vector<std::string> notes = {})
      : m_source(std::move(source)), m_indices(std::move(indices)), m_notes(std::move(notes)) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(m_indices.size()); }
  const std::vector<std::string>& classNames() const override { return m_source->classNames(); }
  bool hasBoxes() const override { return m_source->hasBoxes(); }
  bool hasSegments() const override { return m_source->hasSegments(); }
  std::vector<ClassColor> classColors() const override { return m_source->classColors(); }
  Result<Sample> sample(std::int64_t index) const override;
  Result<SamplePart> part(std::int64_t index, const ChoosePart& choose) const override;
  Result<SampleTruth> truth(std::int64_t index) const override {
    return m_source->truth(m_indices.at(static_cast<std::size_t>(index)));
  }
  bool truthIsAtHand() const override { return m_source->truthIsAtHand(); }
  std::string describe(std::int64_t index) const override;
  std::vector<std::int64_t> shards() const override;
  bool reachable() const override { return m_source->reachable(); }
  std::string stamp() const override { return m_source->stamp(); }
  std::vector<std::string> notes() const override;
  int label(std::int64_t index) const override { return m_source->label(m_indices.at(index)); }
  bool teaches(std::int64_t index) const override { return m_source->teaches(m_indices.at(index)); }

 private:
  std::shared_ptr<const LabeledDataset> m_source;
  std::vector<std::int64_t> m_indices;
  std::vector<std::string> m_notes;
};

}  // namespace headlight
