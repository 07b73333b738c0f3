// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Continues a text with a sequence model: the prompt and the bytes as they arrive.

#include <QByteArray>
#include <QStringConverter>
#include <QWidget>

#include <optional>

#include "core/base/Progress.h"
#include "ui/bridge/SequenceBridge.h"

class QPlainTextEdit;
class QPushButton;

namespace headlight {

class BackgroundTask;
class MessageLabel;
class ParameterForm;

class ContinuationPage : public QWidget {
  Q_OBJECT
 public:
  explicit ContinuationPage(SequenceBridge* bridge, QWidget* parent = nullptr);

  void continueText();
  std::optional<ContinuationSettings> settings() const;
  /// The prompt and its continuation, as bytes.
  const QByteArray& bytes() const { return m_bytes; }

 private:
  QWidget* makeControls();
  QWidget* makeButtonRow(QWidget* parent);
  void connectBridge();
  bool hasModel() const;  ///< a text model
  void forget();
  void append(const QByteArray& bytes);
  void appendText(const QString& text);
  void finish(const QString& text, bool problem = false);
  void chooseFile();
  void save(const QString& path);
  void refreshControls();

  SequenceBridge* m_bridge;
  BackgroundTask* m_writer;
  ParameterForm* m_form = nullptr;
  QPlainTextEdit *m_prompt = nullptr, *m_output = nullptr;
  QPushButton *m_continue = nullptr, *m_cancel = nullptr, *m_save = nullptr;
  MessageLabel* m_message = nullptr;

  QByteArray m_bytes;
  qsizetype m_promptBytes = 0;
  qsizetype m_wanted = 0;  ///< bytes requested
  RemainingTime m_remaining;
  QStringDecoder m_decoder{QStringDecoder::Utf8};  ///< a character may arrive in two pieces
};

}  // namespace headlight
