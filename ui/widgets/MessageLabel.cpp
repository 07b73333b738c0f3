// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/MessageLabel.h"

#include <QDir>
#include <QEvent>
#include <QHBoxLayout>

#include "ui/base/Colors.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

/// Vermilion, dark enough on white and light enough on black for small text (4.5 to 1).
QColor problemColor(const QPalette& palette) {
  return isDark(palette) ? QColor(0xff, 0x9d, 0x66) : QColor(0xb0, 0x45, 0x00);
}

}  // namespace

MessageLabel::MessageLabel(QWidget* parent)
    : QWidget(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(5);
  layout->addWidget(m_icon, 0, Qt::AlignTop);
  layout->addWidget(m_text, 1);
  m_text->setWordWrap(true);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  m_text->setSizePolicy(policy);
  setSizePolicy(policy);
  setVisible(false);
}

void MessageLabel::setMessage(const QString& message, Tone tone) {
  const QString text = shownText(message);
  if (text == m_message && tone == m_tone) return;
  m_tone = tone;
  m_message = text;
  setAccessibleName(text);
  applyTone();
  setVisible(!text.isEmpty());
  if (!text.isEmpty()) Q_EMIT said(text, tone);
}

void MessageLabel::applyTone() {
  const bool problem = m_tone == Tone::Problem;
  m_icon->setVisible(problem);
  m_text->setForegroundRole(m_tone == Tone::Quiet ? QPalette::PlaceholderText
                                                  : QPalette::WindowText);
  if (!problem) {
    m_text->setTextFormat(Qt::PlainText);
    m_text->setText(m_message);
    return;
  }
  const int side = fontMetrics().height();
  m_icon->setPixmap(
      lineIcon(QStringLiteral("warning")).pixmap(QSize(side, side), devicePixelRatioF()));
  // In the text, not in the label's palette: a style sheet's change would reset that.
  m_text->setTextFormat(Qt::RichText);
  m_text->setText(QStringLiteral("<span style=\"color:%1; white-space:pre-wrap\">%2</span>")
                      .arg(problemColor(palette()).name(), m_message.toHtmlEscaped()));
}

void MessageLabel::reportSaved(const QString& path, const Result<void>& written) {
  if (written)
    setMessage(tr("Saved %1.").arg(QDir::toNativeSeparators(path)));
  else
    setMessage(tr("Not saved. %1").arg(QString::fromStdString(written.error().text())),
               Tone::Problem);
}

void MessageLabel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) applyTone();
}

}  // namespace headlight
