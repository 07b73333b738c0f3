// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/EffectImages.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/evaluation/ThumbnailList.h"

namespace headlight {
namespace {

QString className(const std::vector<std::string>& names, int index) {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < names.size() ? displayName(names[at])
                                         : QObject::tr("class %1").arg(index);
}

QString verdictText(const ImageVerdict& verdict, const std::vector<std::string>& names) {
  return QStringLiteral("%1 %2 %")
      .arg(className(names, verdict.predicted))
      .arg(verdict.probability * 100, 0, 'f', 0);
}

}  // namespace

EffectImages::EffectImages(const ModelInfo& info, const ImageSample& sample,
                           const MaskEffect& effect, const std::vector<std::string>& classNames,
                           const QString& words, QWidget* parent)
    : QDialog(parent) {
  setObjectName(QStringLiteral("effectImagesDialog"));
  setWindowTitle(tr("Images that the masks change"));
  resize(900, 620);
  auto* layout = new QVBoxLayout(this);
  m_note = new QLabel(words, this);
  m_note->setTextFormat(Qt::PlainText);
  m_note->setWordWrap(true);
  layout->addWidget(m_note);
  addList(QStringLiteral("changedImages"),
          tr("Changed predictions: %1 (%2 now correct, %3 now wrong)")
              .arg(effect.changed)
              .arg(effect.mended)
              .arg(effect.broken),
          tr("No prediction changed."), effect.changes, classNames);
  addList(QStringLiteral("worstImages"), tr("Images with the largest increase of loss"),
          tr("No loss increased."), effect.worst, classNames);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  m_reading.run<Result<std::vector<Image>>>(
      [info, sample, indices = m_indices](std::stop_token stop) {
        return sampleImages(info, sample, indices, stop);
      },
      [this](const Result<std::vector<Image>>& images) {
        if (images)
          fill(*images);
        else
          m_note->setText(coreText(images.error().text()));
      });
}

void EffectImages::addList(const QString& name, const QString& title, const QString& nothing,
                           const std::vector<ImageChange>& changes,
                           const std::vector<std::string>& classNames) {
  layout()->addWidget(
      new QLabel(changes.empty() ? title + QStringLiteral(". ") + nothing : title, this));
  auto* list = new ThumbnailList(name, title, this);
  for (const ImageChange& change : changes) {
    list->addImage(
        verdictText(change.before, classNames) + QStringLiteral("\n→ ") +
            verdictText(change.after, classNames),
        tr("%1\nTrue class: %2\nloss %3 → %4\nDouble-click to open it")
            .arg(displayName(change.after.name), className(classNames, change.after.label))
            .arg(change.before.loss, 0, 'f', 3)
            .arg(change.after.loss, 0, 'f', 3),
        displayName(change.after.name));
    m_indices.push_back(change.after.index);
  }
  list->setVisible(!changes.empty());
  connect(list, &ThumbnailList::opened, this, &EffectImages::opened);
  layout()->addWidget(list);
  m_lists.push_back(list);
}

void EffectImages::fill(const std::vector<Image>& images) {
  auto next = images.begin();
  for (ThumbnailList* list : m_lists) {
    const auto end = next + std::min<std::ptrdiff_t>(list->count(), images.end() - next);
    list->setImages({next, end});
    next = end;
  }
}

}  // namespace headlight
