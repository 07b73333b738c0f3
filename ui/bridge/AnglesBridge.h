// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The angles between the queries and keys of the image that is shown, worked out beside the
// window (core/workbench/mechanisms/AngularKernels.h). A newer request stops the one before it.

#include <QObject>

#include <memory>

#include "core/workbench/mechanisms/AngularKernels.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"

namespace headlight {

class ModelWorker;

/// One answer: a table, or an error.
struct AnglesResult {
  std::shared_ptr<const InferenceResult>
      inference;  ///< of the image and masks that were asked about
  AngleOptions options;
  std::shared_ptr<const ImagePairs> pairs;
  std::shared_ptr<const AngleTable> table;
  QString error;
};

class AnglesBridge : public QObject {
  Q_OBJECT
 public:
  AnglesBridge(Document* document, ModelWorker* inference, QObject* parent = nullptr);

  /// Angles of all layers and heads, or of those that the document shows; with the query token.
  void setEverything(bool everything) { m_everything = everything; }
  /// Computes them for the document's result. The same request twice runs once.
  void request();
  void cancel();
  /// Lets go of what was worked out.
  void forget();
  bool isBusy() const { return m_task.isBusy(); }

  /// The newest answer that is of the document's image; null until there is one.
  std::shared_ptr<const AnglesResult> result() const { return m_result; }

 Q_SIGNALS:
  void changed();

 private:
  AngleOptions options() const;
  void notify(const AnglesResult& result);

  Document* m_document;
  ModelWorker* m_inference;
  bool m_everything = false;
  std::shared_ptr<const AnglesResult> m_result;
  std::shared_ptr<const InferenceResult>
      m_requestedInference;  ///< that is being worked out; null: nothing is
  AngleOptions m_askedOptions;
  BackgroundTask m_task;
};

}  // namespace headlight
