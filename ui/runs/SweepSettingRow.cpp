// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/SweepSettingRow.h"

#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>

#include "core/models/Registry.h"
#include "core/workbench/schemes/SchemeLibrary.h"
#include "ui/base/CoreText.h"
#include "ui/widgets/IconButton.h"

namespace headlight {
namespace {

/// Settings that are varied most often.
QList<std::pair<QString, QString>> usualSettings() {
  return {{SweepSettingRow::tr("Mask schemes"), QStringLiteral("masks")},
          {SweepSettingRow::tr("Mechanism"), QStringLiteral("model.mechanism")},
          {SweepSettingRow::tr("Depth"), QStringLiteral("model.depth")},
          {SweepSettingRow::tr("Attention window"), QStringLiteral("model.attention.window")},
          {SweepSettingRow::tr("Fraction of the data"), QStringLiteral("data.fraction")},
          {SweepSettingRow::tr("Model"), QStringLiteral("model.name")}};
}

const Parameter* parameterAt(const std::string& path) {
  const auto dot = path.find('.');
  if (dot == std::string::npos) return nullptr;
  const std::string section = path.substr(0, dot), name = path.substr(dot + 1);
  if (section == "model") return findParameter(modelTable(), name);
  for (const Section& one : experimentSections())
    if (one.key == section) return findParameter(*one.table, name);
  return nullptr;
}

QStringList schemeNames() {
  QStringList names;
  for (const std::string& name : maskPresetNames())
    names << QString::fromStdString(name);
  const auto saved = SchemeLibrary(SchemeLibrary::defaultFolder()).names();
  if (saved)
    for (const std::string& name : *saved)
      names << QString::fromStdString(name);
  return names;
}

/// Values for the menu; empty for numbers.
QStringList offeredValues(const std::string& path) {
  if (path == "masks") return schemeNames();
  QStringList values;
  if (path == "model.name") {
    for (const PublishedModel& model : publishedModels())
      values << QString::fromStdString(model.name);
    return values;
  }
  const Parameter* parameter = parameterAt(path);
  if (!parameter) return values;
  for (const std::string& choice : parameter->choices)
    values << QString::fromStdString(choice);
  if (parameter->type == ParameterType::Bool)
    values << "true"
           << "false";
  return values;
}

QStringList listed(const QString& text) {
  QStringList values;
  for (const QString& value : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
    if (!value.trimmed().isEmpty()) values << value.trimmed();
  return values;
}

}  // namespace

SweepSettingRow::SweepSettingRow(QWidget* parent)
    : QWidget(parent),
      m_path(new QComboBox(this)),
      m_values(new QLineEdit(this)),
      m_choose(iconToolButton(this, QStringLiteral("chooseValues"), QStringLiteral("add"),
                              tr("Choose from a list of values"))),
      m_menu(new QMenu(this)) {
  m_path->setObjectName(QStringLiteral("sweepPath"));
  m_path->setAccessibleName(tr("Setting that varies"));
  m_path->setEditable(true);
  m_path->setInsertPolicy(QComboBox::NoInsert);
  m_path->addItem(QString());
  for (const auto& [words, path] : usualSettings())
    m_path->addItem(path, words);
  for (const Section& section : experimentSections())
    for (const Parameter& parameter : *section.table) {
      const QString path = QString::fromStdString(section.key + "." + parameter.name);
      if (!section.key.empty() && m_path->findText(path) < 0) m_path->addItem(path);
    }
  for (int i = 0; i < m_path->count(); ++i)
    m_path->setItemData(i, m_path->itemData(i), Qt::ToolTipRole);
  m_path->completer()->setFilterMode(Qt::MatchContains);
  m_path->completer()->setCompletionMode(QCompleter::PopupCompletion);
  m_path->lineEdit()->setPlaceholderText(tr("A setting"));
  m_path->setMinimumContentsLength(16);
  m_path->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_values->setObjectName(QStringLiteral("sweepValues"));
  m_values->setAccessibleName(tr("Its values, separated by commas"));
  m_choose->setMenu(m_menu);
  m_choose->setPopupMode(QToolButton::InstantPopup);
  auto* remove = iconToolButton(this, QStringLiteral("removeSetting"), QStringLiteral("remove"),
                                tr("Remove this setting"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_path, 1);
  layout->addWidget(m_values, 1);
  layout->addWidget(m_choose);
  layout->addWidget(remove);
  connect(m_path, &QComboBox::currentTextChanged, this, [this] {
    showKind();
    Q_EMIT changed();
  });
  connect(m_values, &QLineEdit::textChanged, this, &SweepSettingRow::changed);
  m_menu->installEventFilter(this);
  setFocusProxy(m_path);
  connect(m_menu, &QMenu::aboutToShow, this, &SweepSettingRow::fillMenu);
  connect(remove, &QToolButton::clicked, this, &SweepSettingRow::removed);
  showKind();
}

SweepWish::Setting SweepSettingRow::setting() const {
  return {m_path->currentText().trimmed().toStdString(), m_values->text().toStdString()};
}

void SweepSettingRow::setSetting(const SweepWish::Setting& setting) {
  m_path->setEditText(QString::fromStdString(setting.path));
  m_values->setText(QString::fromStdString(setting.values));
}

bool SweepSettingRow::isEmpty() const {
  return m_path->currentText().trimmed().isEmpty() && m_values->text().trimmed().isEmpty();
}

void SweepSettingRow::showKind() {
  const std::string path = setting().path;
  const Parameter* parameter = parameterAt(path);
  m_choose->setEnabled(!offeredValues(path).isEmpty());
  const QString kind = path == "masks" ? tr("scheme names")
                       : parameter     ? coreText(parameter->typeText())
                                       : QString();
  m_values->setPlaceholderText(kind.isEmpty() ? tr("0.1, 0.3, 1") : kind);
  const QString help = parameter ? coreText(parameter->help) : QString();
  m_path->setToolTip(help.isEmpty() ? tr("A parameter of the experiment, by its path") : help);
  m_values->setToolTip(
      tr("Values, separated by commas. One value applies to every run; several are combined with "
         "each value of the other settings"));
}

void SweepSettingRow::fillMenu() {
  m_menu->clear();
  const QStringList now = listed(m_values->text());
  for (const QString& value : offeredValues(setting().path)) {
    QAction* action = m_menu->addAction(value);
    action->setCheckable(true);
    action->setChecked(now.contains(value));
    connect(action, &QAction::toggled, this, [this, value](bool on) { toggle(value, on); });
  }
}

/// The menu stays open so that several values can be ticked.
bool SweepSettingRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::MouseButtonRelease) return QWidget::eventFilter(watched, event);
  QAction* under = m_menu->actionAt(static_cast<QMouseEvent*>(event)->position().toPoint());
  if (under) under->trigger();
  return under != nullptr;
}

void SweepSettingRow::toggle(const QString& value, bool on) {
  QStringList now = listed(m_values->text());
  now.removeAll(value);
  if (on) now << value;
  m_values->setText(now.join(QStringLiteral(", ")));
}

}  // namespace headlight
