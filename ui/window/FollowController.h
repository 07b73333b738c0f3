// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Following runs that somebody else trains: asks for a folder, takes one that is dropped, leaves a
// run before this window trains one of its own, and shows images through its checkpoints.

#include <QObject>

#include <memory>

#include "ui/widgets/NoticeBar.h"

namespace headlight {

class Document;
class FollowBridge;
class ModelWorker;
class ModelSnapshot;
class Opener;
class TrainingBridge;
class TrainingDock;

/// Whom it speaks with; all of them outlive it.
struct FollowParts {
  Document* document;
  FollowBridge* follow;
  TrainingBridge* training;
  ModelWorker* inference;
  Opener* opener;
  TrainingDock* dock;
  QWidget* window;
};

class FollowController : public QObject {
  Q_OBJECT
 public:
  explicit FollowController(const FollowParts& parts);

  /// The full path of the followed run; empty: none.
  QString folder() const;
  /// On the user's request, whatever process trains the run; refused while this window trains.
  void follow(const QString& folder);

 Q_SIGNALS:
  void notice(const headlight::Notice& notice);
  void began(const QString& folder);
  void showRequested();  ///< where a person asked for it: the Train workspace
  void changed();        ///< followed or not, for the session
  /// A run was dropped that nobody trains.
  void resumeOffered(const QString& folder);

 private:
  void connectBridge();
  void choose();
  void offer(const QString& folder);
  bool refusedFor(const QString& folder);
  void leaveFor(const QString& why);
  void onWeights(std::shared_ptr<const ModelSnapshot> weights);

  FollowParts m_parts;
  bool m_asked = false;  ///< the user asked for the first poll
};

}  // namespace headlight
