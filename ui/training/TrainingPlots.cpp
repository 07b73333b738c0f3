// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainingPlots.h"

#include <QAction>
#include <QLabel>
#include <QResizeEvent>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace headlight {
namespace {

/// Three plots side by side are readable only if there is clearly more width than height.
constexpr double kAbreast = 1.6;

}  // namespace

TrainingPlots::TrainingPlots(QAction* start, QWidget* parent)
    : QStackedWidget(parent), m_splitter(new QSplitter(Qt::Vertical, this)) {
  setObjectName(QStringLiteral("trainingPlots"));
  m_splitter->setObjectName(QStringLiteral("trainingPlotsSplitter"));
  m_splitter->setChildrenCollapsible(false);
  addWidget(makeSentencePage(start));
  addWidget(m_splitter);
}

QWidget* TrainingPlots::makeSentencePage(QAction* start) {
  auto* page = new QWidget(this);
  m_sentence = new QLabel(page);
  m_sentence->setObjectName(QStringLiteral("trainSentence"));
  m_sentence->setTextFormat(Qt::PlainText);
  m_sentence->setAlignment(Qt::AlignCenter);
  m_sentence->setWordWrap(true);
  auto* button = new QToolButton(page);
  button->setObjectName(QStringLiteral("trainBegin"));
  button->setDefaultAction(start);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setFocusPolicy(Qt::StrongFocus);
  m_start = button;
  auto* layout = new QVBoxLayout(page);
  layout->addStretch(1);
  layout->addWidget(m_sentence);
  layout->addWidget(button, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  return page;
}

void TrainingPlots::showSentence(const QString& sentence, bool offerStart) {
  m_sentence->setText(sentence);
  m_start->setVisible(offerStart);
  setCurrentIndex(0);
}

void TrainingPlots::resizeEvent(QResizeEvent* event) {
  m_splitter->setOrientation(width() > kAbreast * height() ? Qt::Horizontal : Qt::Vertical);
  QStackedWidget::resizeEvent(event);
}

}  // namespace headlight
