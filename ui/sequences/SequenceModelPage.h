// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A trained sequence model: its description, its bits per byte, and its completions or text.

#include <QWidget>

#include "ui/bridge/SequenceBridge.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace headlight {

class CompletionPage;
class ContinuationPage;
class Document;
class MessageLabel;

class SequenceModelPage : public QWidget {
  Q_OBJECT
 public:
  SequenceModelPage(SequenceBridge* bridge, Document* document, QWidget* parent = nullptr);

  /// Opens a run folder or weights; refused with a message while the bridge is busy.
  void open(const QString& path);
  CompletionPage* completion() const { return m_completion; }
  ContinuationPage* continuation() const { return m_continuation; }

 private:
  QWidget* makeModelRow();
  void connectBridge();
  void onModelChanged();
  void onJobChanged();
  void onProgress(const Progress& progress);
  void onScored(const SequenceScore& score);
  void refreshControls();
  void chooseFolder();
  void chooseWeights();

  SequenceBridge* m_bridge;
  QLabel* m_model = nullptr;
  MessageLabel* m_message = nullptr;
  QPushButton *m_openRun = nullptr, *m_openWeights = nullptr, *m_score = nullptr;
  QStackedWidget* m_stack = nullptr;
  CompletionPage* m_completion = nullptr;
  ContinuationPage* m_continuation = nullptr;
  bool m_refused = false;  ///< opening was refused while busy
};

/// "aft_local, 3 blocks of 64 features, 768 bytes per sequence, 123,456 parameters; images of 16 ×
/// 16".
QString sequenceModelSentence(const SequenceModelInfo& info);

}  // namespace headlight
