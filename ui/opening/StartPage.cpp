// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/StartPage.h"

#include <QAction>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/SanitizedText.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/opening/Opener.h"
#include "ui/opening/RecentCommands.h"

namespace headlight {
namespace {

constexpr int kPageWidth = 420, kMostOfAKind = 4;
constexpr int kRecentKindRole = Qt::UserRole, kRecentPathRole = Qt::UserRole + 1;

}  // namespace

StartPage::StartPage(Document* document, ModelWorker* inference, ImageBridge* images,
                     Opener* opener, RecentCommands* recent, const QList<QAction*>& actions,
                     QWidget* parent)
    : QWidget(parent), m_document(document), m_opener(opener), m_recent(recent) {
  setObjectName(QStringLiteral("startPage"));
  setAccessibleName(tr("Start"));
  setAutoFillBackground(true);
  auto* words = new QLabel(
      tr("See what every head of a vision transformer attends to. Open a file, or drop it here."),
      this);
  words->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setAlignment(Qt::AlignHCenter);
  layout->addStretch(2);
  layout->addWidget(words);
  addButtons(actions);
  makeList();
  layout->addStretch(3);
  for (QWidget* widget : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    widget->setFixedWidth(kPageWidth);
  hide();
  for (const auto signal : {&InferenceInputs::modelChanged, &InferenceInputs::imageChanged})
    connect(&document->inputs(), signal, this, &StartPage::refresh);
  connect(inference, &ModelWorker::activityChanged, this, &StartPage::refresh);
  connect(images, &ImageBridge::imageFailed, this, &StartPage::refresh);
  connect(&recent->paths(), &RecentPaths::changed, this, &StartPage::refresh);
}

void StartPage::addButtons(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    auto* button = new QPushButton(
        action->icon(),
        QString(action->text()).remove(QLatin1Char('&')) + QStringLiteral("    ") + keys, this);
    button->setObjectName(QStringLiteral("start.") + action->objectName());
    button->setToolTip(action->toolTip());
    button->setAccessibleName(action->toolTip());
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    layout()->addWidget(button);
  }
}

void StartPage::makeList() {
  m_recentTitle = new QLabel(tr("Recent"), this);
  m_list = new QListWidget(this);
  m_list->setObjectName(QStringLiteral("startRecent"));
  m_list->setAccessibleName(tr("Recent"));
  m_list->setTextElideMode(Qt::ElideMiddle);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  const auto open = [this](const QListWidgetItem* item) {
    m_recent->open(static_cast<RecentKind>(item->data(kRecentKindRole).toInt()),
                   item->data(kRecentPathRole).toString());
  };
  connect(m_list, &QListWidget::itemActivated, this, open);
  if (!style()->styleHint(QStyle::SH_ItemView_ActivateItemOnSingleClick))
    connect(m_list, &QListWidget::itemClicked, this, open);
  layout()->addWidget(m_recentTitle);
  layout()->addWidget(m_list);
}

void StartPage::begin() {
  m_begun = true;
  refresh();
}

/// Not while the first model or image is on its way.
void StartPage::refresh() {
  const bool empty = !m_document->inputs().hasModel() && !m_document->inputs().hasImage();
  const bool shown = m_begun && empty && !m_opener->isBusy();
  if (shown) fillList();
  setVisible(shown);
}

void StartPage::fillList() {
  m_list->clear();
  for (const RecentKind kind : {RecentKind::File, RecentKind::Model, RecentKind::Run})
    for (const QString& path : m_recent->paths().of(kind).mid(0, kMostOfAKind)) {
      auto* item = new QListWidgetItem(RecentCommands::titleOf(path), m_list);
      item->setToolTip(plainToolTip(path));
      item->setData(kRecentKindRole, static_cast<int>(kind));
      item->setData(kRecentPathRole, path);
    }
  m_list->setFixedHeight(std::max(m_list->sizeHintForRow(0), 1) * m_list->count() + 2);
  m_recentTitle->setVisible(m_list->count() > 0);
  m_list->setVisible(m_list->count() > 0);
}

}  // namespace headlight
