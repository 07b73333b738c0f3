// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/PromptsDialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

#include "ui/base/SanitizedText.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

std::string composed(const QString& text) {
  return text.normalized(QString::NormalizationForm_C).toStdString();
}

QString linesText(const Prompts& prompts) {
  QStringList lines;
  for (const std::string& line : prompts.lines)
    lines << QString::fromStdString(line);
  return lines.join(QLatin1Char('\n'));
}

QString foundText(const std::vector<std::string>& texts) {
  const QString first = displayName(texts.front());
  if (texts.size() == 1) return PromptsDialog::tr("1 class: \"%1\"").arg(first);
  return PromptsDialog::tr("%1 classes; the first is \"%2\"")
      .arg(QString::number(texts.size()), first);
}

}  // namespace

PromptsDialog::PromptsDialog(const Prompts& prompts, QWidget* parent)
    : QDialog(parent),
      m_pattern(new QLineEdit(QString::fromStdString(prompts.pattern), this)),
      m_lines(new QPlainTextEdit(linesText(prompts), this)),
      m_message(new MessageLabel(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Cancel, this)),
      m_had(!prompts.empty()) {
  setObjectName(QStringLiteral("promptsDialog"));
  setWindowTitle(tr("Prompts"));
  m_pattern->setPlaceholderText(tr("a photo of a {}"));
  m_pattern->setToolTip(tr("Each line takes the place of {}; empty: the lines as they are"));
  m_pattern->setAccessibleName(tr("Template"));
  m_lines->setAccessibleName(tr("Prompts, one on each line"));
  m_lines->setTabChangesFocus(true);
  auto* form = new QFormLayout;
  form->addRow(tr("&Template"), m_pattern);
  form->addRow(tr("&Prompts"), m_lines);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(m_message);
  layout->addWidget(m_buttons);
  makeButtons();
  connect(m_pattern, &QLineEdit::textChanged, this, &PromptsDialog::refresh);
  connect(m_lines, &QPlainTextEdit::textChanged, this, &PromptsDialog::refresh);
  setMinimumWidth(fontMetrics().averageCharWidth() * 60);
  refresh();
  m_lines->setFocus();
}

void PromptsDialog::makeButtons() {
  m_apply = m_buttons->addButton(tr("&Apply"), QDialogButtonBox::AcceptRole);
  m_apply->setDefault(true);
  m_apply->setToolTip(tr("Use the prompts as the model's classes (Ctrl+Enter)"));
  m_remove = m_buttons->addButton(tr("&Remove prompts"), QDialogButtonBox::ResetRole);
  m_remove->setToolTip(tr("Use the model without prompts"));
  m_remove->setVisible(m_had);
  connect(m_apply, &QPushButton::clicked, this, [this] { request(prompts()); });
  connect(m_remove, &QPushButton::clicked, this, [this] { request({}); });
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* keys = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
  connect(keys, &QShortcut::activated, m_apply, &QPushButton::click);
}

Prompts PromptsDialog::prompts() const {
  return {promptLines(composed(m_lines->toPlainText())), composed(m_pattern->text())};
}

QString PromptsDialog::message() const {
  return m_message->text();
}

void PromptsDialog::refresh() {
  const Prompts now = prompts();
  const auto texts = promptTexts(now);
  m_apply->setEnabled(texts.ok() && !m_working);
  m_remove->setEnabled(!m_working);
  if (texts)
    m_message->setMessage(foundText(*texts));
  else if (now.empty())
    m_message->setMessage(tr("Write one prompt on each line."));
  else
    m_message->setMessage(QString::fromStdString(texts.error().message),
                          MessageLabel::Tone::Problem);
}

void PromptsDialog::request(const Prompts& prompts) {
  m_working = true;
  refresh();
  m_message->setMessage(tr("Reading the prompts…"));
  Q_EMIT applyRequested(prompts);
}

void PromptsDialog::finish(const QString& problem) {
  m_working = false;
  if (problem.isEmpty()) return accept();
  refresh();
  m_message->setMessage(problem, MessageLabel::Tone::Problem);
}

}  // namespace headlight
