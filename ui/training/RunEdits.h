// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Brings the mask edits of the document to the run that goes on, if they are to follow: those in
// quick succession (a stroke) as one. Where nobody has said yet where they go, the first one of a
// run asks. What no edit did, as when the run began with other masks or a
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
  bool isFollowing() const { return m_following; }
  /// They stay in the window: the answer to `undecided` for this run.
  void keepInWindow() { m_decided = true; }
  void setFollowing(bool on);  ///< on: what was edited meanwhile goes to the run at once
  bool isWaiting() const { return m_rest.isActive(); }  ///< an edit rests before it goes to the run
  /// An edit of the document is one of the run's masks too; true while its masks are not known.
  bool runHasDocumentsHeads() const;

 Q_SIGNALS:
  /// The first edit of a run, which went to the open model alone: where are this and later ones to
  /// go? Once a run.
  void undecided();

 private:
  void tellKept();
  void onEdit(const MaskEdit& edit);
  void onMasksChanged();
  void send();
  /// All that the run does not have yet, in the order of layers and heads.
  MaskEdit outstanding() const;

  Document* m_document;
  TrainingBridge* m_bridge;
  QTimer m_rest, m_told;
  bool m_active = false, m_following = false;
  bool m_asked = false, m_decided = false;  ///< where edits go, in this run
  MaskEdit m_edits;                         ///< since the last that was sent
  std::optional<MaskScheme> m_runMasks;     ///< as of the last that was sent
};

}  // namespace headlight
