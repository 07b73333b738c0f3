#pragma once
// Brings the mask edits of the document to the run that goes on, if they are to follow: those in
// quick succession (a stroke) as one. What no edit did, as when the run began with other masks or a
// session was restored meanwhile, goes along with the next.

#include <QObject>
#include <QTimer>

#include <optional>

#include "core/masks/MaskEdit.h"

namespace headlight {

class Document;
class TrainingBridge;

class RunEdits : public QObject {
  Q_OBJECT
 public:
  RunEdits(Document* document, TrainingBridge* bridge, QObject* parent = nullptr);

  void begin();  ///< a run begins; its masks are not known yet
  void end();
  /// The run has told something: from now on its masks are known. True where they were not before.
  bool runIsThere();
  void setFollowing(bool on);  ///< on: what was edited meanwhile goes to the run at once
  bool isWaiting() const { return m_rest.isActive(); }  ///< an edit rests before it goes to the run
  /// An edit of the document is one of the run's masks too; true while its masks are not known.
  bool runHasDocumentsHeads() const;

 private:
  void onEdit(const MaskEdit& edit);
  void onMasksChanged();
  void send();
  /// All that the run does not have yet, in the order of layers and heads.
  MaskEdit outstanding() const;

  Document* m_document;
  TrainingBridge* m_bridge;
  QTimer m_rest;
  bool m_active = false, m_following = false;
  MaskEdit m_edits;                      ///< since the last that was sent
  std::optional<MaskScheme> m_runMasks;  ///< as of the last that was sent
};

}  // namespace headlight
