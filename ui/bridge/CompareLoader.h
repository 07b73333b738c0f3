// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fills the document of one side of a comparison: opens its model beside the window's, reads its
// image, finds its masks, and runs the model. A result that the window has is taken over; all else
// happens in threads of its own, and only while the side is shown.

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/workbench/session/InferenceSession.h"
#include "ui/base/WorkerThread.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/document/DocumentReference.h"

namespace headlight {

class Document;
class ModelWorker;

class CompareLoader : public QObject {
  Q_OBJECT
 public:
  /// `window`: the document of the window; `inference` its worker (null: only results that the
  /// window has are shown); `side`: the document that is filled. All outlive it.
  CompareLoader(Document* window, ModelWorker* inference, Document* side,
                QObject* parent = nullptr);
  ~CompareLoader() override;

  const CompareSide& side() const { return m_side; }
  /// What its model and weights are called; until it is open, what its path says.
  QString modelName() const;
  void setSide(const CompareSide& side);
  /// Whether the page is visible; nothing is computed otherwise.
  void setShown(bool shown);

  /// Why there is nothing to see, and what to do about it; empty where there is, or will be.
  const QString& problem() const { return m_problem; }
  bool isBusy() const { return m_busy; }
  /// The session of the side, as ModelWorker::session().
  std::function<std::shared_ptr<InferenceSession>()> session();

 Q_SIGNALS:
  void changed();  ///< problem or busy

 private:
  struct Opened {
    QString path;
    std::shared_ptr<InferenceSession> session;  ///< null where there is an error
    QString error;
  };
  struct LoadedImage {
    QString path;
    Image image;
    QString error;
  };

  ImageBridge& images();
  WorkerThread& worker();
  void takeImage(const LoadedImage& image);
  void refresh();
  bool showModel();
  bool showImage();
  std::optional<MaskScheme> wantedMasks();
  bool takeOver(const MaskScheme& masks);
  void open();
  void lookAt(const MaskScheme& masks);
  void inferenceDone(int ticket, const std::shared_ptr<const Result<InferenceResult>>& result);
  void forgetModel();
  void stopInference();
  void wait();
  void refuse(const QString& problem);
  void settle(bool busy, const QString& problem);
  bool hasOwnModel() const { return m_side.model.isEmpty(); }

  Document* m_window;
  ModelWorker* m_inference;
  Document* m_document;
  CompareSide m_side;
  bool m_shown = false, m_busy = false;
  bool m_modelIsNew = true;  ///< the document does not show the side's model yet
  QString m_problem;
  std::optional<Opened> m_opened;
  std::optional<LoadedImage> m_image;
  QString m_opening, m_loading;  ///< what is on its way; empty: nothing
  int m_ticket = 0;
  std::stop_source m_stop;
  std::unique_ptr<ImageBridge> m_images;
  std::unique_ptr<WorkerThread> m_worker;  // last: joined first
};

}  // namespace headlight
