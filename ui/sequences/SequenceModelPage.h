// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A trained sequence model: which one, how well it predicts, and what it draws, pictures or text.

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

  /// A run's folder or weights; while something is drawn or measured, a message says to cancel it.
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
  bool m_refused = false;  ///< another model, by what goes on
};

/// "aft_local, 3 blocks of 64 features, 768 bytes a sequence, 123,456 parameters; pictures of 16 ×
/// 16".
QString sequenceModelSentence(const SequenceModelInfo& info);

}  // namespace headlight
