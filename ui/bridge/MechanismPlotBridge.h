// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that the open model's mechanism alone has, worked out beside the window
// (core/workbench/mechanisms/MechanismPlots.h).

#include <QObject>

#include <memory>
#include <vector>

#include "core/workbench/mechanisms/MechanismPlots.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"

namespace headlight {

class ModelWorker;

/// Which image, of which layer; the rest is the document's.
struct MechanismPlotChoice {
  std::string name;
  bool allLayers = false;
};

/// One answer: an image, or an error.
struct MechanismPlotResult {
  MechanismPlotInfo info;
  std::shared_ptr<const InferenceResult>
      inference;  ///< asked about; null: of a model without an image
  std::uint64_t weights = 0;
  int layer = -1, token = -1;
  std::shared_ptr<const MechanismPlot> image;
  Image view;  ///< what the model saw; empty: the weights alone say it
  QString error;
};

class MechanismPlotBridge : public QObject {
  Q_OBJECT
 public:
  MechanismPlotBridge(Document* document, ModelWorker* inference, QObject* parent = nullptr);

  /// The plots of the mechanism; empty where it has none, or before the answer.
  const std::vector<MechanismPlotInfo>& offers() const { return m_offers; }
  /// Asked twice for the same, works once. Of another token of the same image: what is being
  /// worked out is finished first, so that something is seen while a pointer moves.
  void request(const MechanismPlotChoice& choice);
  void cancel();
  /// Lets go of what was worked out.
  void forget();
  bool isBusy() const { return m_task.isBusy(); }
  /// The newest answer that is of the document's model and image; null until there is one.
  std::shared_ptr<const MechanismPlotResult> result() const { return m_result; }

 Q_SIGNALS:
  void offersChanged();
  void changed();

 private:
  void requestAvailable();
  void take(MechanismPlotResult result);
  void run(const MechanismPlotResult& asked);

  Document* m_document;
  ModelWorker* m_inference;
  std::vector<MechanismPlotInfo> m_offers;
  std::shared_ptr<const MechanismPlotResult> m_result;
  std::unique_ptr<MechanismPlotResult> m_asked;  ///< that is being worked out
  std::unique_ptr<MechanismPlotChoice> m_next;   ///< wanted when that is done
  BackgroundTask m_offering, m_task;
};

}  // namespace headlight
