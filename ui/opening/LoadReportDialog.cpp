// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/LoadReportDialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

QString shapeText(const std::vector<std::int64_t>& shape) {
  QStringList sizes;
  for (const auto size : shape)
    sizes << QString::number(size);
  return sizes.isEmpty() ? QObject::tr("scalar") : sizes.join(QStringLiteral(" × "));
}

QStringList displayNames(const std::vector<std::string>& names) {
  QStringList list;
  for (const auto& name : names)
    list << displayName(name);
  return list;
}

}  // namespace

LoadReportDialog::LoadReportDialog(const LoadReport& report, const QString& fileName,
                                   QWidget* parent, bool ownModel)
    : QDialog(parent), m_tree(new QTreeWidget(this)) {
  setObjectName(QStringLiteral("loadReportDialog"));
  setWindowTitle(tr("Load weights"));
  resize(620, 460);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  auto* title =
      new QLabel(tr("How “%1” fits the model. Nothing is replaced yet.").arg(fileName), this);
  title->setWordWrap(true);
  layout->addWidget(title);

  m_tree->setObjectName(QStringLiteral("loadReportTree"));
  m_tree->setAccessibleName(tr("Names of the checkpoint and the model"));
  m_tree->setHeaderHidden(true);
  m_tree->setColumnCount(2);
  m_tree->setUniformRowHeights(true);
  fill(report);
  m_tree->resizeColumnToContents(0);
  layout->addWidget(m_tree, 1);

  auto* note = new MessageLabel(this);
  note->setObjectName(QStringLiteral("loadReportNote"));
  const bool nothing = report.matched.empty() && report.resized.empty() && report.taken.empty();
  if (nothing)
    note->setMessage(tr("Nothing in this file fits the model: its architecture or size differs."),
                     MessageLabel::Tone::Problem);
  else if (const auto unfilled = report.unfilled(); !unfilled.empty())
    note->setMessage(tr("%1 of the model's tensors are missing from the file or have another "
                        "shape: they keep their present values.")
                         .arg(unfilled.size()),
                     MessageLabel::Tone::Problem);
  layout->addWidget(note);

  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  auto* load = buttons->addButton(report.unfilled().empty() ? tr("Load") : tr("Load anyway"),
                                  QDialogButtonBox::AcceptRole);
  load->setObjectName(QStringLiteral("loadButton"));
  load->setDefault(!nothing);
  load->setEnabled(!nothing);
  if (ownModel) {
    auto* own = buttons->addButton(tr("Open as Its Own Model"), QDialogButtonBox::ActionRole);
    own->setObjectName(QStringLiteral("openOwnButton"));
    own->setToolTip(tr("Open the model that the file describes, in place of this one"));
    own->setDefault(true);
    load->setDefault(false);
    connect(own, &QPushButton::clicked, this, [this] { done(kOpenOwn); });
  }
  if (report.choices.size() > 1) {
    auto* other = buttons->addButton(tr("Another Model…"), QDialogButtonBox::ActionRole);
    other->setObjectName(QStringLiteral("chooseOtherButton"));
    other->setToolTip(tr("The file holds several models: choose which one to load"));
    connect(other, &QPushButton::clicked, this, [this] { done(kChooseOther); });
  }
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
}

void LoadReportDialog::fill(const LoadReport& report) {
  QStringList resizedNames, resizedHow, mismatchedNames, mismatchedHow;
  for (const auto& item : report.resized) {
    resizedNames << displayName(item.name);
    resizedHow
        << tr("%1 → %2, %3").arg(shapeText(item.from), shapeText(item.to), coreText(item.how));
  }
  for (const auto& item : report.mismatched) {
    mismatchedNames << displayName(item.name);
    mismatchedHow << tr("file %1, model %2").arg(shapeText(item.file), shapeText(item.model));
  }
  addGroup(QStringLiteral("mismatched"), tr("other shape"), tr("not loaded"), mismatchedNames,
           mismatchedHow, true);
  addGroup(QStringLiteral("missing"), tr("missing"), tr("in the model, not in the file"),
           displayNames(report.missing), {}, true);
  addGroup(QStringLiteral("unexpected"), tr("unexpected"),
           tr("in the file, not in the model: ignored"), displayNames(report.unexpected), {}, true);
  addGroup(QStringLiteral("resized"), tr("resized"), tr("position embeddings of another grid"),
           resizedNames, resizedHow, true);
  if (!report.taken.empty()) {
    QStringList takenNames, takenHow;
    for (const auto& item : report.taken) {
      takenNames << displayName(item.name);
      takenHow << tr("%1, %2").arg(displayName(item.from), coreText(item.part));
    }
    addGroup(QStringLiteral("taken"), tr("taken"), tr("a part of another tensor of the file"),
             takenNames, takenHow, true);
  }
  if (!report.leftAside.empty())
    addGroup(QStringLiteral("leftAside"), tr("left aside"), tr("what else the file holds"),
             displayNames(report.leftAside), {}, false);
  addGroup(QStringLiteral("matched"), tr("matched"), tr("loaded as they are"),
           displayNames(report.matched), {}, false);
}

void LoadReportDialog::addGroup(const QString& key, const QString& title, const QString& help,
                                const QStringList& names, const QStringList& details, bool open) {
  auto* group = new QTreeWidgetItem(
      m_tree, QStringList{QStringLiteral("%1 %2").arg(names.size()).arg(title), help});
  group->setData(0, Qt::UserRole, key);
  QFont font = m_tree->font();
  font.setBold(!names.isEmpty());
  group->setFont(0, font);
  group->setForeground(1, palette().color(QPalette::PlaceholderText));
  for (qsizetype i = 0; i < names.size(); ++i)
    new QTreeWidgetItem(group, QStringList{names[i], details.value(i)});
  group->setExpanded(open && !names.isEmpty());
}

}  // namespace headlight
