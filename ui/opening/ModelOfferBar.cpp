// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ModelOfferBar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>

#include "core/workbench/hub/ModelFetch.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/opening/SuggestedModels.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kLeastChoiceWidth = 120;  ///< the line must fit the smallest window
constexpr int kTextLines = 2, kVerticalMargin = 3;

}  // namespace

ModelOfferBar::ModelOfferBar(QWidget* parent)
    : QToolBar(parent),
      m_content(new QWidget(this)),
      m_text(new MessageLabel(m_content)),
      m_models(new QComboBox(m_content)),
      m_progress(new ProgressLine(tr("Progress of the download"), m_content)) {
  setObjectName(QStringLiteral("modelOffer"));
  setWindowTitle(tr("Suggested model"));
  setAccessibleName(tr("Suggested model"));
  setMovable(false);
  setFloatable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  toggleViewAction()->setVisible(false);  // it comes and goes with the offer
  m_text->setObjectName(QStringLiteral("offerText"));
  auto* layout = new QHBoxLayout(m_content);
  layout->setContentsMargins(8, kVerticalMargin, 8, kVerticalMargin);
  layout->addWidget(m_text, 1);
  fillModels();
  layout->addWidget(m_models);
  layout->addWidget(m_progress, 1);
  m_get = addButton("offerGet", {}, {}, &ModelOfferBar::accepted);
  m_stop = addButton("offerStop", tr("Stop"),
                     tr("The part downloaded so far is kept; the download continues next time"),
                     &ModelOfferBar::stopped);
  m_others = addButton("offerOthers", tr("Others…"), tr("Show the list of all published models"),
                       &ModelOfferBar::othersWanted);
  m_tour = addButton("offerTour", tr("Tour"), tr("See the window in five steps"),
                     &ModelOfferBar::tourWanted);
  m_dismiss = addButton("offerDismiss", {}, {}, &ModelOfferBar::dismissed);
  // Texts of every length leave the image where it is.
  m_content->setFixedHeight(kTextLines * fontMetrics().lineSpacing() + 4 * kVerticalMargin);
  addWidget(m_content);
  hide();
}

QPushButton* ModelOfferBar::addButton(const char* name, const QString& text, const QString& tip,
                                      void (ModelOfferBar::*signal)()) {
  auto* button = new QPushButton(text, m_content);
  button->setObjectName(QString::fromLatin1(name));
  button->setToolTip(tip);
  button->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys to the image
  connect(button, &QPushButton::clicked, this, signal);
  m_content->layout()->addWidget(button);
  return button;
}

void ModelOfferBar::fillModels() {
  m_models->setObjectName(QStringLiteral("offerModels"));
  m_models->setAccessibleName(tr("Suggested models"));
  m_models->setToolTip(tr("The model to download; check the authors' license before use"));
  m_models->setFocusPolicy(Qt::TabFocus);
  m_models->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_models->setMinimumWidth(kLeastChoiceWidth);
  for (const SuggestedModel& model : suggestedModels())
    m_models->addItem(describeSuggestion(model));
  connect(m_models, &QComboBox::currentIndexChanged, this, &ModelOfferBar::chosenChanged);
}

const SuggestedModel* ModelOfferBar::chosen() const {
  const int index = m_models->currentIndex();
  return index < 0 ? nullptr : &suggestedModels()[static_cast<std::size_t>(index)];
}

void ModelOfferBar::showOnly(const QList<QPushButton*>& buttons, bool choice) {
  m_models->setVisible(choice);
  for (QPushButton* button : {m_get, m_stop, m_others, m_tour, m_dismiss})
    button->setVisible(buttons.contains(button));
  m_progress->setVisible(buttons.contains(m_stop));
}

void ModelOfferBar::showOffer(const QString& lead, bool here) {
  m_text->setToolTip({});
  m_text->setMessage(lead, MessageLabel::Tone::Plain);
  m_get->setText(here ? tr("Open") : tr("Download and Open"));
  m_get->setToolTip(here ? tr("It is on this computer")
                         : tr("Download from the Hugging Face hub, check the file, and open it"));
  m_dismiss->setText(tr("Not Now"));
  m_dismiss->setToolTip(tr("Hide this line for good; Model → Suggested models shows it again"));
  showOnly({m_get, m_others, m_tour, m_dismiss}, true);
}

void ModelOfferBar::showStarting() {
  m_progress->setBusy();
  showDownload(tr("Connecting to the Hugging Face hub"));
}

void ModelOfferBar::showProgress(const FetchProgress& progress) {
  if (progress.progress.total > 0) m_progress->setProgress(progress.progress);
  showDownload(coreText(fetchText(progress)));
}

void ModelOfferBar::showDownload(const QString& text) {
  m_text->setMessage(text, MessageLabel::Tone::Plain);
  showOnly({m_stop}, false);
}

void ModelOfferBar::showProblem(const QString& text) {
  m_text->setMessage(text, MessageLabel::Tone::Problem);
  m_text->setToolTip(plainToolTip(text));
  m_get->setText(tr("Try Again"));
  m_get->setToolTip(tr("The part downloaded so far is kept"));
  m_dismiss->setText(tr("Later"));
  m_dismiss->setToolTip(tr("Offer this model again at the next start"));
  showOnly({m_get, m_others, m_dismiss}, false);
}

void ModelOfferBar::showReady(const QString& text) {
  m_text->setMessage(text, MessageLabel::Tone::Plain);
  m_get->setText(tr("Open"));
  m_get->setToolTip(tr("File → Restore the previous session goes back"));
  m_dismiss->setText(tr("Later"));
  m_dismiss->setToolTip(tr("Model → Models on this computer lists it"));
  showOnly({m_get, m_dismiss}, false);
}

}  // namespace headlight
