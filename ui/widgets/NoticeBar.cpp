// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/NoticeBar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "ui/base/Actions.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

constexpr int kIconSide = 18;
constexpr int kMaxLetters = 600;  // a hostile file's name must not fill the window

/// Amber, red and blue mixed into the window's ground, so that text keeps its contrast.
QColor noticeTint(Notice::Level level, const QPalette& palette) {
  const QColor color = level == Notice::Level::Info      ? QColor(0x56b4e9)
                       : level == Notice::Level::Warning ? QColor(0xe69f00)
                                                         : QColor(0xd55e00);
  const QColor ground = palette.color(QPalette::Window);
  const auto mix = [](int a, int b) { return (a * 78 + b * 22) / 100; };
  return QColor(mix(ground.red(), color.red()), mix(ground.green(), color.green()),
                mix(ground.blue(), color.blue()));
}

QString shortened(const QString& text) {
  return text.size() <= kMaxLetters ? text : text.left(kMaxLetters) + QStringLiteral("…");
}

}  // namespace

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("noticeBar"));
  setAccessibleName(tr("Notices"));
  setAutoFillBackground(true);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);

  m_icon = new QLabel(this);
  m_text = new QLabel(this);
  m_text->setObjectName(QStringLiteral("noticeText"));
  m_text->setAccessibleName(tr("Notice"));
  m_text->setWordWrap(true);
  m_text->setTextFormat(Qt::PlainText);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_more = new QLabel(this);
  m_action = new QPushButton(this);
  m_action->setObjectName(QStringLiteral("noticeAction"));
  connect(m_action, &QPushButton::clicked, this, [this] {
    const auto run = m_notices.isEmpty() ? std::function<void()>() : m_notices.last().run;
    closeNewest();
    if (run) run();
  });
  m_other = new QPushButton(this);
  m_other->setObjectName(QStringLiteral("noticeOther"));
  connect(m_other, &QPushButton::clicked, this, [this] {
    const auto run = m_notices.isEmpty() ? std::function<void()>() : m_notices.last().runOther;
    closeNewest();
    if (run) run();
  });
  m_close = new QToolButton(this);
  m_close->setObjectName(QStringLiteral("noticeClose"));
  m_close->setIcon(lineIcon(QStringLiteral("close")));
  m_close->setAutoRaise(true);
  m_close->setAccessibleName(tr("Close this notice"));
  m_close->setToolTip(tr("Close this notice; Help → Messages keeps it"));
  connect(m_close, &QToolButton::clicked, this, &NoticeBar::closeNewest);
  m_closeAll = makeCommand(
      this,
      {"edit.closeNotices", tr("Close &notices"), tr("Close all notices"), "Ctrl+Shift+X", {}},
      [this] { closeAll(); });

  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 5, 6, 5);
  layout->setSpacing(8);
  layout->addWidget(m_icon, 0, Qt::AlignTop);
  layout->addWidget(m_text, 1);
  layout->addWidget(m_more);
  layout->addWidget(m_action);
  layout->addWidget(m_other);
  layout->addWidget(m_close, 0, Qt::AlignTop);
  refresh();
}

void NoticeBar::add(const Notice& reported) {
  Notice notice = reported;
  notice.title = shownText(reported.title);
  notice.text = shownText(reported.text);
  m_notices.removeIf([&](const Notice& old) {
    return (old.title == notice.title && old.text == notice.text) ||
           (!notice.topic.isEmpty() && old.topic == notice.topic);
  });
  if (m_notices.size() >= kMaxNotices) m_notices.removeFirst();
  if (notice.hasWords())
    m_notices.append(notice);
  else
    m_notices.removeIf([&](const Notice& old) { return old.about.testAnyFlags(notice.about); });
  refresh();
}

void NoticeBar::leave(Notice::About passed) {
  if (m_notices.removeIf([&](const Notice& notice) { return notice.about.testFlag(passed); }) > 0)
    refresh();
}

void NoticeBar::closeNewest() {
  if (!m_notices.isEmpty()) m_notices.removeLast();
  refresh();
}

void NoticeBar::closeAll() {
  m_notices.clear();
  refresh();
}

void NoticeBar::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::ApplicationPaletteChange) refresh();
}

void NoticeBar::refresh() {
  setVisible(!m_notices.isEmpty());
  if (m_notices.isEmpty()) return;
  const Notice& notice = m_notices.last();
  const bool mild = notice.level == Notice::Level::Info;
  m_icon->setPixmap(lineIcon(mild ? QStringLiteral("info") : QStringLiteral("warning"))
                        .pixmap(QSize(kIconSide, kIconSide), devicePixelRatioF()));
  const QString text = notice.title.isEmpty()
                           ? notice.text
                           : QStringLiteral("%1. %2").arg(notice.title, notice.text);
  m_text->setText(shortened(text));
  m_text->setToolTip(plainToolTip(text));
  m_more->setVisible(m_notices.size() > 1);
  m_more->setText(tr("+%1 more").arg(m_notices.size() - 1));
  m_action->setVisible(!notice.action.isEmpty());
  m_action->setText(notice.action);
  m_action->setAccessibleName(notice.action);
  m_action->setToolTip(notice.action);
  m_other->setVisible(!notice.other.isEmpty());
  m_other->setText(notice.other);
  m_other->setAccessibleName(notice.other);
  m_other->setToolTip(notice.other);
  QPalette colors;
  colors.setColor(QPalette::Window, noticeTint(notice.level, colors));
  setPalette(colors);
}

}  // namespace headlight
