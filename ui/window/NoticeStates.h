// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Takes notices away when what they are about has passed: another model, a run that begins or ends,
// another file.

#include <QObject>

#include <functional>

namespace headlight {

class FollowBridge;
class ModelWorker;
class NoticeBar;
class Opener;
class TrainingBridge;

struct NoticeSources {
  NoticeBar* bar;
  ModelWorker* inference;
  TrainingBridge* training;
  FollowBridge* follow;
  Opener* opener;
  /// Whether a session is being restored: what it says of itself stays when its model and image
  /// come.
  std::function<bool()> isRestoring;
};

class NoticeStates : public QObject {
  Q_OBJECT
 public:
  /// Make it before whoever notifies of the same changes, so that new notices stay.
  NoticeStates(const NoticeSources& sources, QObject* parent);

 private:
  void onTrainingState();

  NoticeSources m_sources;
  bool m_running = false;
};

}  // namespace headlight
