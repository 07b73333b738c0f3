#pragma once
// The pictures that the open model's mechanism alone has, worked out beside the window
// (core/workbench/mechanisms/OwnPictures.h).

#include <QObject>

#include <memory>
#include <vector>

#include "core/workbench/mechanisms/OwnPictures.h"
#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"

namespace headlight {

class LookBridge;

/// Which picture, of which layer; the rest is the document's.
struct OwnChoice {
  std::string name;
  bool allLayers = false;
};

/// One answer: a picture, or an error.
struct OwnResult {
  OwnPictureInfo info;
  std::shared_ptr<const Look> look;  ///< asked about; null: of a model without a picture
  std::uint64_t weights = 0;
  int layer = -1, token = -1;
  std::shared_ptr<const OwnPicture> picture;
  Image view;  ///< what the model saw; empty: the weights alone say it
  QString error;
};

class OwnBridge : public QObject {
  Q_OBJECT
 public:
  OwnBridge(Document* document, LookBridge* look, QObject* parent = nullptr);

  /// What the mechanism offers; empty where it has nothing of its own, or while nobody knows yet.
  const std::vector<OwnPictureInfo>& offers() const { return m_offers; }
  /// Asked twice for the same, works once. Of another token of the same picture: what is being
  /// worked out is finished first, so that something is seen while a pointer moves.
  void request(const OwnChoice& choice);
  void cancel();
  /// Lets go of what was worked out.
  void forget();
  bool isBusy() const { return m_task.isBusy(); }
  /// The newest answer that is of the document's model and picture; null until there is one.
  std::shared_ptr<const OwnResult> result() const { return m_result; }

 Q_SIGNALS:
  void offersChanged();
  void changed();

 private:
  void askWhatThereIs();
  void take(OwnResult result);
  void run(const OwnResult& asked);

  Document* m_document;
  LookBridge* m_look;
  std::vector<OwnPictureInfo> m_offers;
  std::shared_ptr<const OwnResult> m_result;
  std::unique_ptr<OwnResult> m_asked;  ///< that is being worked out
  std::unique_ptr<OwnChoice> m_next;   ///< wanted when that is done
  BackgroundTask m_offering, m_task;
};

}  // namespace headlight
