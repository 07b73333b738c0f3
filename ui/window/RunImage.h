// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// In the workspace Train the image is the training: while a run of this window goes on, its newest
// weights are shown automatically, and captions say so. Where they are not (the person
// switched it off, opened another model, or the run trains another one), captions say that.

#include <QObject>

namespace headlight {

class Document;
class ModelWorker;
class TrainingBridge;
class Workspaces;

class RunImage : public QObject {
  Q_OBJECT
 public:
  /// All of them outlive it.
  RunImage(Document* document, TrainingBridge* training, ModelWorker* inference,
           Workspaces* workspaces, QObject* parent);

 private:
  bool fits() const;
  void onState();
  void onWanted(bool wanted);
  void onModel();
  void refresh();
  void want(bool wanted);
  void refreshNote();

  Document* m_document;
  TrainingBridge* m_training;
  ModelWorker* m_inference;
  Workspaces* m_workspaces;
  bool m_running = false;   ///< as it was known last
  bool m_own = false;       ///< the weights are wanted because of this, not of the person
  bool m_changing = false;  ///< this changes whether they are wanted
  bool m_declined = false;  ///< the person wants to see something else, in this run
};

}  // namespace headlight
