// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/SweepSettings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "core/config/ConfigText.h"
#include "ui/base/Icons.h"
#include "ui/runs/SweepSettingRow.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

constexpr qint64 kMaxSweepFile = 16 << 20;
const char* const kReadySweeps = ":/sweeps";

}  // namespace

SweepSettings::SweepSettings(const Experiment& present, QWidget* parent)
    : QWidget(parent),
      m_present(present),
      m_source(new QComboBox(this)),
      m_about(new QLabel(this)),
      m_model(new QCheckBox(tr("&Model and masks of the window"), this)),
      m_data(new QCheckBox(tr("&Data, batch and epochs of Train…"), this)),
      m_rowLayout(new QVBoxLayout),
      m_seeds(new QLineEdit(QStringLiteral("0"), this)) {
  m_source->setObjectName(QStringLiteral("sweepSource"));
  m_source->setAccessibleName(tr("Sweep"));
  m_about->setObjectName(QStringLiteral("sweepAbout"));
  m_about->setWordWrap(true);
  m_about->setTextFormat(Qt::PlainText);
  m_model->setObjectName(QStringLiteral("sweepPresentModel"));
  m_data->setObjectName(QStringLiteral("sweepPresentData"));
  m_model->setToolTip(
      tr("Use the window's model and masks as the base of the sweep; the settings it varies stay"));
  m_data->setToolTip(
      tr("Use the data settings of Train… in place of the paper's, such as ImageNet"));
  m_seeds->setObjectName(QStringLiteral("sweepSeeds"));
  m_seeds->setAccessibleName(tr("Seeds"));
  m_seeds->setToolTip(
      tr("Train every variant once per seed: 0,1,2 or 0-4. Three seeds show a deviation"));
  auto* add = new QPushButton(lineIcon(QStringLiteral("add")), tr("&Add a setting"), this);
  add->setObjectName(QStringLiteral("addSetting"));
  add->setAutoDefault(false);
  m_rowLayout->setSpacing(4);
  auto* form = new QFormLayout;
  form->addRow(tr("S&weep"), m_source);
  auto* seeds = new QFormLayout;
  seeds->addRow(tr("S&eeds"), m_seeds);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(form);
  layout->addWidget(m_about);
  layout->addWidget(m_model);
  layout->addWidget(m_data);
  layout->addLayout(m_rowLayout);
  layout->addWidget(add, 0, Qt::AlignLeft);
  layout->addLayout(seeds);
  layout->addStretch(1);
  fillSources();
  setFocusProxy(addRow());
  showKind();
  connect(add, &QPushButton::clicked, this, [this] { addRow()->setFocus(); });
  connect(m_source, &QComboBox::activated, this, &SweepSettings::chooseSource);
  for (QCheckBox* box : {m_model, m_data})
    connect(box, &QCheckBox::toggled, this, &SweepSettings::changed);
  connect(m_seeds, &QLineEdit::textChanged, this, &SweepSettings::changed);
}

void SweepSettings::fillSources() {
  m_source->addItem(tr("Vary the current experiment"));
  for (const QString& name : QDir(QString::fromLatin1(kReadySweeps))
                                 .entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
    m_source->addItem(QFileInfo(name).completeBaseName());
  m_source->addItem(tr("A sweep file…"));
}

void SweepSettings::chooseSource(int index) {
  if (index == m_source->count() - 1) return askForFile();
  chooseReady(index > 0 ? m_source->itemText(index) : QString());
}

void SweepSettings::askForFile() {
  m_source->setCurrentIndex(std::max(0, m_source->findText(QString::fromStdString(m_file.name))));
  FileQuestion question;
  question.title = tr("Open a sweep file");
  question.filter = tr("Sweeps (*.json);;All files (*)");
  askForPath(this, question, [this](const QString& path) { openFile(path); });
}

void SweepSettings::chooseReady(const QString& name) {
  if (name.isEmpty()) {
    m_file = {};
    m_source->setCurrentIndex(0);
    showKind();
    return Q_EMIT changed();
  }
  QFile file(QStringLiteral("%1/%2.json").arg(QLatin1String(kReadySweeps), name));
  if (!file.open(QIODevice::ReadOnly)) return;
  takeText(QString::fromUtf8(file.readAll()), name, {});
  // ImageNet is never where the paper's sweep expects it, so the data of Train… is the default.
  m_data->setChecked(true);
}

bool SweepSettings::openFile(const QString& path) {
  const QString name =
      QFileInfo(path).isDir() ? QDir(path).filePath(QLatin1String(kSweepFile)) : path;
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMaxSweepFile) {
    Q_EMIT failed(
        tr("%1 cannot be read: %2")
            .arg(QDir::toNativeSeparators(name),
                 file.isOpen() ? tr("it is too large for a sweep file") : file.errorString()));
    return false;
  }
  const QFileInfo info(name);
  const bool ofFolder = info.fileName() == QLatin1String(kSweepFile);
  takeText(QString::fromUtf8(file.readAll()),
           ofFolder ? info.dir().dirName() : info.completeBaseName(), info.absolutePath());
  m_model->setChecked(false);
  m_data->setChecked(false);
  return true;
}

void SweepSettings::takeText(const QString& text, const QString& name, const QString& folder) {
  m_file = {};
  m_file.file = text.toStdString();
  m_file.name = name.toStdString();
  m_file.folder = folder.toStdString();
  if (m_source->findText(name) < 0) m_source->insertItem(m_source->count() - 1, name);
  m_source->setCurrentIndex(m_source->findText(name));
  const Json json = jsonOrDiscarded(m_file.file);
  QStringList seeds;
  if (json.is_object() && json.contains("seeds") && json["seeds"].is_array())
    for (const Json& seed : json["seeds"])
      seeds << QString::fromStdString(seed.dump());
  m_seeds->setText(seeds.join(QLatin1Char(',')));
  showKind();
  Q_EMIT changed();
}

SweepSettingRow* SweepSettings::addRow() {
  auto* row = new SweepSettingRow(this);
  m_rows.push_back(row);
  m_rowLayout->addWidget(row);
  connect(row, &SweepSettingRow::changed, this, &SweepSettings::changed);
  connect(row, &SweepSettingRow::removed, this, [this, row] {
    std::erase(m_rows, row);
    row->deleteLater();
    if (m_rows.empty()) addRow();
    Q_EMIT changed();
  });
  return row;
}

void SweepSettings::setSettings(const std::vector<SweepWish::Setting>& settings) {
  for (SweepSettingRow* row : m_rows)
    row->deleteLater();
  m_rows.clear();
  for (const SweepWish::Setting& setting : settings)
    addRow()->setSetting(setting);
  if (m_rows.empty()) addRow();
  Q_EMIT changed();
}

void SweepSettings::setSeeds(const QString& text) {
  m_seeds->setText(text);
}

void SweepSettings::setAbout(const QString& text) {
  m_about->setText(text);
  m_about->setVisible(!text.isEmpty());
}

void SweepSettings::showKind() {
  const bool ready = !m_file.file.empty();
  const Json json = jsonOrDiscarded(m_file.file);
  const bool sequences = json.is_object() && json.contains("base") && isOfSequences(json["base"]);
  m_model->setVisible(ready && !sequences);
  m_data->setVisible(ready && !sequences);
  setAbout(ready ? QString() : tr("Every combination below is trained with every seed."));
}

bool SweepSettings::isEmpty() const {
  return m_file.file.empty() &&
         std::all_of(m_rows.begin(), m_rows.end(),
                     [](const SweepSettingRow* row) { return row->isEmpty(); });
}

SweepWish SweepSettings::wish() const {
  SweepWish wish = m_file;
  wish.present = m_present;
  if (wish.name.empty()) wish.name = m_present.name + " sweep";
  wish.presentModel = !m_file.file.empty() && m_model->isChecked();
  wish.presentData = !m_file.file.empty() && m_data->isChecked();
  for (const SweepSettingRow* row : m_rows)
    if (!row->isEmpty()) wish.settings.push_back(row->setting());
  wish.seeds = m_seeds->text().trimmed().toStdString();
  return wish;
}

}  // namespace headlight
