// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/ContinuationPage.h"

#include <QDir>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextCursor>
#include <QVBoxLayout>

#include "core/base/Utf8.h"
#include "core/base/files/Files.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Folders.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kContinuationFormWidth = 300;
constexpr int kPromptLines = 4;

}  // namespace

ContinuationPage::ContinuationPage(SequenceBridge* bridge, QWidget* parent)
    : QWidget(parent), m_bridge(bridge), m_writer(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("continuationPage"));
  m_output = new QPlainTextEdit(this);
  m_output->setObjectName(QStringLiteral("continuation"));
  m_output->setAccessibleName(tr("The text with the model's continuation"));
  m_output->setToolTip(tr("Bold: the prompt. Bytes that are not text are shown as %1")
                           .arg(QChar(QChar::ReplacementCharacter)));
  m_output->setPlaceholderText(tr("The text appears here, byte by byte."));
  m_output->setReadOnly(true);
  m_output->setTabChangesFocus(true);
  m_output->setUndoRedoEnabled(false);
  m_output->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  layout->addWidget(makeControls());
  layout->addWidget(m_output, 1);
  setTabOrder(m_save, m_output);
  connectBridge();
  refreshControls();
}

QWidget* ContinuationPage::makeControls() {
  auto* column = new QWidget(this);
  column->setFixedWidth(kContinuationFormWidth);
  m_prompt = new QPlainTextEdit(column);
  m_prompt->setObjectName(QStringLiteral("prompt"));
  m_prompt->setAccessibleName(tr("Prompt"));
  m_prompt->setToolTip(tr("The text to continue; it can be empty"));
  m_prompt->setTabChangesFocus(true);
  m_prompt->setFont(m_output->font());
  m_prompt->setMaximumHeight(kPromptLines * fontMetrics().lineSpacing() + 16);
  auto* label = new QLabel(tr("&Prompt"), column);
  label->setBuddy(m_prompt);
  m_form = new ParameterForm(continuationParameters(), QStringLiteral("continuation"), column);
  m_form->setFilterVisible(false);
  connect(m_form, &ParameterForm::changed, this, &ContinuationPage::refreshControls);
  m_message = new MessageLabel(column);
  m_message->setObjectName(QStringLiteral("continuationMessage"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label);
  layout->addWidget(m_prompt);
  layout->addWidget(m_form, 1);
  layout->addWidget(m_message);
  layout->addWidget(makeButtonRow(column));
  return column;
}

QWidget* ContinuationPage::makeButtonRow(QWidget* parent) {
  auto* row = new QWidget(parent);
  m_continue = iconButton(row, "continueText", tr("&Continue"), "play", tr("Continue the prompt"));
  m_cancel = iconButton(row, "cancelContinuation", tr("Cance&l"), "stop",
                        tr("Stop and keep the text so far"));
  m_save = iconButton(row, "saveContinuation", tr("&Save…"), "save",
                      tr("Save the prompt and its continuation, byte for byte"));
  connect(m_continue, &QPushButton::clicked, this, &ContinuationPage::continueText);
  connect(m_cancel, &QPushButton::clicked, m_bridge, &SequenceBridge::cancel);
  connect(m_save, &QPushButton::clicked, this, &ContinuationPage::chooseFile);
  layOutButtons(row, {m_continue, m_cancel, m_save});
  return row;
}

void ContinuationPage::connectBridge() {
  using Job = SequenceBridge::Job;
  connect(m_bridge, &SequenceBridge::modelChanged, this, &ContinuationPage::forget);
  connect(m_bridge, &SequenceBridge::jobChanged, this, &ContinuationPage::refreshControls);
  connect(m_bridge, &SequenceBridge::bytesArrived, this, &ContinuationPage::append);
  connect(m_bridge, &SequenceBridge::continued, this,
          [this] { finish(tr("%1 bytes.").arg(m_bytes.size() - m_promptBytes)); });
  connect(m_bridge, &SequenceBridge::canceled, this, [this](Job job) {
    if (job == Job::Continuing)
      finish(tr("Canceled after %1 bytes.").arg(m_bytes.size() - m_promptBytes));
  });
  connect(m_bridge, &SequenceBridge::failed, this, [this](Job job, const QString& text) {
    if (job == Job::Continuing) finish(text, true);
  });
}

/// Drops the text of the previous model.
void ContinuationPage::forget() {
  m_bytes.clear();
  m_promptBytes = 0;
  m_output->clear();
  m_message->clear();
  refreshControls();
}

bool ContinuationPage::hasModel() const {
  return m_bridge->model() && !m_bridge->model()->experiment.ofImages();
}

std::optional<ContinuationSettings> ContinuationPage::settings() const {
  ContinuationSettings settings;
  if (!m_form->isValid() ||
      !readParameters(continuationParameters(), m_form->values(), &settings, "continuation"))
    return std::nullopt;
  return settings;
}

void ContinuationPage::continueText() {
  const auto wanted = settings();
  if (!wanted || !hasModel() || m_bridge->isBusy()) return;
  const QString prompt = m_prompt->toPlainText();
  m_bytes = prompt.toUtf8();
  m_promptBytes = m_bytes.size();
  m_wanted = static_cast<qsizetype>(wanted->bytes);
  m_decoder = QStringDecoder(QStringDecoder::Utf8);
  m_output->clear();
  QTextCharFormat bold;
  bold.setFontWeight(QFont::Bold);
  QTextCursor cursor(m_output->document());
  cursor.insertText(shownText(prompt), bold);
  m_message->clear();
  m_remaining.start(0);
  m_bridge->continueText(prompt, *wanted);
}

void ContinuationPage::append(const QByteArray& bytes) {
  m_bytes += bytes;
  appendText(shownText(m_decoder.decode(bytes)));
  const qsizetype done = m_bytes.size() - m_promptBytes;
  QString text = tr("%1 of %2 bytes").arg(done).arg(m_wanted);
  const QString remaining = remainingText(m_remaining.secondsRemaining(done, m_wanted));
  if (!remaining.isEmpty()) text += QStringLiteral(" · ") + remaining;
  m_message->setMessage(text);
}

void ContinuationPage::appendText(const QString& text) {
  // Keep the position if the user has scrolled back.
  QScrollBar* bar = m_output->verticalScrollBar();
  const bool atEnd = bar->value() >= bar->maximum();
  QTextCursor cursor(m_output->document());
  cursor.movePosition(QTextCursor::End);
  cursor.insertText(text, QTextCharFormat());
  if (atEnd) bar->setValue(bar->maximum());
}

void ContinuationPage::finish(const QString& text, bool problem) {
  // The decoder still holds an incomplete character.
  if (endsWithinCharacter(m_bytes.mid(m_promptBytes).toStdString()))
    appendText(QString(QChar(QChar::ReplacementCharacter)));
  m_message->setMessage(text, problem ? MessageLabel::Tone::Problem : MessageLabel::Tone::Quiet);
  refreshControls();
}

void ContinuationPage::refreshControls() {
  const bool busy = m_bridge->isBusy();
  m_continue->setEnabled(!busy && hasModel() && settings().has_value());
  m_cancel->setEnabled(m_bridge->job() == SequenceBridge::Job::Continuing);
  m_save->setEnabled(!busy && m_bytes.size() > m_promptBytes);
}

void ContinuationPage::chooseFile() {
  askWhereToSave(this, tr("Save the text"),
                 QDir(documentsFolder()).filePath(QStringLiteral("continued.txt")),
                 tr("Text (*.txt);;All files (*)"), [this](const QString& path) { save(path); });
}

void ContinuationPage::save(const QString& path) {
  m_writer->run<Result<void>>(
      [path = path.toStdString(), bytes = m_bytes.toStdString()](std::stop_token) {
        return guarded(path, [&] { return writeFileAtomically(path, bytes); });
      },
      [this, path](const Result<void>& written) { m_message->reportSaved(path, written); });
}

}  // namespace headlight
