// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures the effect of the document's masks on a dataset in the background: once an edit
// has settled, given up for the next one, and kept for every scheme that was measured.

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/results/CachedMetrics.h"
#include "ui/base/BackgroundTask.h"

namespace headlight {

class Document;
class ModelWorker;

class MaskEffectBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr int kSettledMs = 400;  ///< after the last edit
  static constexpr std::size_t kMostKept = 64;

  MaskEffectBridge(Document* document, ModelWorker* inference, QObject* parent = nullptr);

  /// The images that are measured on; nothing: none, and nothing is measured.
  const std::optional<ImageSample>& sample() const { return m_sample; }
  void setSample(const std::optional<ImageSample>& sample);

  /// Where results are kept besides; null: nowhere.
  void setShelf(std::shared_ptr<const ResultCache> shelf) { m_shelf = std::move(shelf); }
  /// Measures the present masks, the reference and no masks again, ignoring cached results.
  void measureAnew();

  using Known = std::shared_ptr<const SchemeResult>;
  /// Null while it is not known.
  Known present() const;
  Known reference() const;  ///< under ReferenceState::masks()
  Known unmasked() const;
  /// From the reference to the masks as they are; nothing while one of them is not known.
  std::optional<MaskEffect> sinceReference() const;

  bool isBusy() const { return m_task.isBusy(); }
  /// Something is measured, or will be once the edit has settled.
  bool isDue() const { return isBusy() || m_settled.isActive(); }
  const Progress& progress() const { return m_progress; }
  /// Why nothing is known; empty where nothing is wrong.
  const QString& problem() const { return m_problem; }
  /// Whether that is because its classes are not the model's (ClassMatch.h).
  bool isMisfit() const { return m_misfit && !m_problem.isEmpty(); }

 Q_SIGNALS:
  void changed();

 private:
  struct Kept {
    MaskScheme scheme;
    Known result;
  };
  struct Measured {
    std::vector<MaskScheme> schemes;
    Result<std::vector<SchemeResult>> results;
  };

  void onInference();
  void invalidate();
  void settle();
  void measure();
  void take(const Measured& measured);
  Known known(const MaskScheme& scheme) const;
  std::vector<MaskScheme> missing() const;
  bool goesOn() const;
  CachePolicy keeping();

  Document* m_document;
  ModelWorker* m_inference;
  std::optional<ImageSample> m_sample;
  std::shared_ptr<const ResultCache> m_shelf;
  bool m_anew = false;
  std::vector<Kept> m_kept;
  std::uint64_t m_weights = 0;         ///< of what is kept
  std::vector<MaskScheme> m_measured;  ///< what is measured now
  QTimer m_settled;
  Progress m_progress;
  QString m_problem;
  bool m_misfit = false;
  BackgroundTask m_task;
};

}  // namespace headlight
