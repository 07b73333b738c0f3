// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts as the classes of a model that has a text tower.

#include <QDialog>

#include "core/workbench/prompts/Prompts.h"

class QDialogButtonBox;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace headlight {

class MessageLabel;

/// A line for the template, and the prompts, one on each line. Stays open until the model has them,
/// so that what is wrong is said beside the text.
class PromptsDialog : public QDialog {
  Q_OBJECT
 public:
  explicit PromptsDialog(const Prompts& prompts, QWidget* parent = nullptr);

  /// As they stand in the fields; composed (Unicode's form NFC), as tokenizers want them.
  Prompts prompts() const;
  /// What was asked for has been done, or, unless empty, `problem` kept it.
  void finish(const QString& problem);
  QString message() const;

 Q_SIGNALS:
  /// Without any prompts: the model as it is by itself.
  void applyRequested(const headlight::Prompts& prompts);

 private:
  void makeButtons();
  void refresh();
  void request(const Prompts& prompts);

  QLineEdit* m_pattern;
  QPlainTextEdit* m_lines;
  MessageLabel* m_message;
  QDialogButtonBox* m_buttons;
  QPushButton *m_apply = nullptr, *m_remove = nullptr;
  bool m_working = false;
  bool m_had;  ///< the model has prompts
};

}  // namespace headlight
