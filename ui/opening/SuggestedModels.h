// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Published models for a first download: small enough to wait for, and what their owner answered.

#include <QString>

#include <vector>

#include "core/workbench/hub/PublishedWeights.h"
#include "ui/base/StateFileWriter.h"

namespace headlight {

struct SuggestedModel {
  QString title;  ///< "DINOv2-S"
  PublishedWeights weights;
};

/// The default first. Only those that the list of published weights has.
const std::vector<SuggestedModel>& suggestedModels();
/// "DINOv2-S: 22.1 M parameters, 88 MB, features, license apache-2.0".
QString describeSuggestion(const SuggestedModel& model);

/// What a person answered to the offer: asked at most once.
enum class OfferAnswer {
  None,      ///< not answered yet
  Wanted,    ///< yes, but it is not on this computer yet
  Declined,  ///< no
  Done       ///< downloaded
};

/// Kept in model-offer.json beside the session. A file that cannot be read counts as no answer.
class OfferRecord {
 public:
  /// Empty: kept only while the program runs.
  explicit OfferRecord(const QString& sessionPath);

  OfferAnswer answer() const { return m_answer; }
  void set(OfferAnswer answer);

 private:
  QString m_path;
  OfferAnswer m_answer = OfferAnswer::None;
  StateFileWriter m_writer;
};

}  // namespace headlight
