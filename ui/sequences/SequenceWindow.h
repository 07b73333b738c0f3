// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window for sequence models (causal AFT): trains one, completes images and continues text.
// Closing hides it.

#include <QWidget>

#include <functional>
#include <memory>

class QTabWidget;

namespace headlight {

class BackgroundTask;
class Document;
class SequenceBridge;
class SequenceMapsPage;
class SequenceModelPage;
class SequenceTrainingBridge;
class SequenceTrainPage;

class SequenceWindow : public QWidget {
  Q_OBJECT
 public:
  /// `document`: its image is offered for completion; it must outlive the window.
  explicit SequenceWindow(Document* document, QWidget* parent = nullptr);
  /// Stops all jobs; a training writes its checkpoint.
  ~SequenceWindow() override;

  /// Opens a run folder, weights or a config (.json) of a sequence model on its page.
  void openPath(const QString& path);
  void showTraining();
  void showModel();

  bool isTraining() const;
  void stopTraining();

  SequenceTrainPage* trainPage() const { return m_trainPage; }
  SequenceModelPage* modelPage() const { return m_modelPage; }
  SequenceMapsPage* mapsPage() const { return m_mapsPage; }
  SequenceBridge* bridge() const { return m_bridge.get(); }

 Q_SIGNALS:
  /// A message that one of the pages shows.
  void reported(const QString& text, bool problem);
  void trainingEnded();
  void helpRequested();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void gatherMessages();
  void openConfig(const QString& path);
  void openModel(const QString& path);
  void takeData(const std::function<void(SequenceTrainPage&)>& take);

  std::unique_ptr<SequenceTrainingBridge> m_training;
  std::unique_ptr<SequenceBridge> m_bridge;
  BackgroundTask* m_reader;
  QTabWidget* m_tabs = nullptr;
  SequenceTrainPage* m_trainPage = nullptr;
  SequenceModelPage* m_modelPage = nullptr;
  SequenceMapsPage* m_mapsPage = nullptr;
  bool m_closing = false;  ///< close when the training has stopped
};

}  // namespace headlight
