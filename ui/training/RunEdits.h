// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sends the mask edits of the document to the run in progress, if the user wants that; edits in
// quick succession (a stroke) go as one. If the user has not decided yet, the first edit of a run
// asks. Differences that no edit made (the run started with other masks, or a session was restored
// meanwhile) are sent with the next edit.

#include <QObject>
#include <QString>
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
  /// The run has reported: its masks are known from now on. True if they were unknown before.
  bool runIsThere();
  bool isFollowing() const { return m_following; }
  /// Edits change the open model only: the answer to `undecided` for this run.
  void keepInWindow() { m_decided = true; }
  void setFollowing(bool on);                           ///< on: pending edits are sent at once
  bool isWaiting() const { return m_rest.isActive(); }  ///< an edit waits to be sent
  /// The run's model has the document's heads; true while its masks are unknown.
  bool runHasDocumentsHeads() const;
  /// Why the run takes no edits while it goes; empty: it does, or there is none.
  QString whyNotSent() const;

 Q_SIGNALS:
  /// The first edit of a run changed the open model only: ask where this and later ones go. Once
  /// per run.
  void undecided();

 private:
  void reportCached();
  void onEdit(const MaskEdit& edit);
  void onMasksChanged();
  void send();
  /// The changes that the run does not have yet, by layer and head.
  MaskEdit outstanding() const;

  Document* m_document;
  TrainingBridge* m_bridge;
  QTimer m_rest, m_reported;
  bool m_active = false, m_following = false;
  bool m_asked = false, m_decided = false;  ///< the question of this run
  MaskEdit m_edits;                         ///< since the last edit sent
  std::optional<MaskScheme> m_runMasks;     ///< as of the last edit sent
};

}  // namespace headlight
