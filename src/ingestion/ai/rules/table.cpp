// table.cpp — the words of column headings in five languages.
#include "ingestion/ai/rules/table.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

constexpr int kind(ColumnKind k) { return static_cast<int>(k) + 1; }
constexpr int kTaxTable = 100;
constexpr int kPos = kind(ColumnKind::Position), kArt = kind(ColumnKind::Article),
              kDesc = kind(ColumnKind::Description), kQty = kind(ColumnKind::Quantity),
              kUnit = kind(ColumnKind::Unit), kPrice = kind(ColumnKind::UnitPrice),
              kDisc = kind(ColumnKind::Discount), kRate = kind(ColumnKind::VatRate),
              kAmount = kind(ColumnKind::Amount);

constexpr auto kHeadings = std::to_array<Label>({
    {"pos", kPos},
    {"position", kPos},
    {"posnr", kPos},
    {"nr", kPos},
    {"lfdnr", kPos},
    {"rad", kPos},
    {"line", kPos},
    {"#", kPos},
    {"artnr", kArt},
    {"artikelnr", kArt},
    {"artikelnummer", kArt},
    {"sku", kArt},
    {"itemno", kArt},
    {"gtin", kArt},
    {"artnrlieferant", kArt},
    {"artnrkunde", kArt},
    {"artnrlief", kArt},
    {"ref", kArt},
    {"reference", kArt},
    {"code", kArt},
    {"itemcode", kArt},
    {"productcode", kArt},
    {"beschreibung", kDesc},
    {"bezeichnung", kDesc},
    {"artikel", kDesc},
    {"artikelbezeichnung", kDesc},
    {"leistung", kDesc},
    {"description", kDesc},
    {"item", kDesc},
    {"items", kDesc},
    {"product", kDesc},
    {"produkt", kDesc},
    {"service", kDesc},
    {"services", kDesc},
    {"benamning", kDesc},
    {"beskrivning", kDesc},
    {"specifikation", kDesc},
    {"designation", kDesc},
    {"libelle", kDesc},
    {"omschrijving", kDesc},
    {"details", kDesc},
    {"itemdescription", kDesc},
    {"productdescription", kDesc},
    {"text", kDesc},
    {"ware", kDesc},
    {"warenbezeichnung", kDesc},
    {"produit", kDesc},
    {"leistungsbeschreibung", kDesc},
    {"tjanst", kDesc},
    {"avser", kDesc},
    {"particulars", kDesc},
    {"artikelbenamning", kDesc},
    {"menge", kQty},
    {"anzahl", kQty},
    {"anz", kQty},
    {"qty", kQty},
    {"quantity", kQty},
    {"antal", kQty},
    {"quantite", kQty},
    {"qte", kQty},
    {"aantal", kQty},
    {"hours", kQty},
    {"hrs", kQty},
    {"std", kQty},
    {"stunden", kQty},
    {"units", kQty},
    {"stuck", kQty},
    {"timmar", kQty},
    {"einheit", kUnit},
    {"unit", kUnit},
    {"enhet", kUnit},
    {"unite", kUnit},
    {"eenheid", kUnit},
    {"einh", kUnit},
    {"me", kUnit},
    {"vkegeb", kUnit},
    {"preis", kPrice},
    {"nettopreis", kPrice},
    {"einzelpreis", kPrice},
    {"epreis", kPrice},
    {"ep", kPrice},
    {"stuckpreis", kPrice},
    {"vkpreis", kPrice},
    {"price", kPrice},
    {"unitprice", kPrice},
    {"rate", kPrice},
    {"unitcost", kPrice},
    {"cost", kPrice},
    {"apris", kPrice},
    {"pris", kPrice},
    {"prisst", kPrice},
    {"styckpris", kPrice},
    {"prix", kPrice},
    {"prixunitaire", kPrice},
    {"unitaire", kPrice},
    {"pu", kPrice},
    {"puht", kPrice},
    {"prixunitaireht", kPrice},
    {"prijs", kPrice},
    {"prijsperstuk", kPrice},
    {"einzelpreisnetto", kPrice},
    {"priceunit", kPrice},
    {"stkpreis", kPrice},
    {"nettoeinzelpreis", kPrice},
    {"preiseinheit", kPrice},
    {"preisprostuck", kPrice},
    {"netprice", kPrice},
    {"listprice", kPrice},
    {"bruttopreis", kPrice},
    {"rabatt", kDisc},
    {"discount", kDisc},
    {"disc", kDisc},
    {"rem", kDisc},
    {"remise", kDisc},
    {"korting", kDisc},
    {"rab", kDisc},
    {"ust", kRate},
    {"mwst", kRate},
    {"steuersatz", kRate},
    {"steuer", kRate},
    {"vat", kRate},
    {"tax", kRate},
    {"moms", kRate},
    {"tva", kRate},
    {"btw", kRate},
    {"taxes", kRate},
    {"vatrate", kRate},
    {"taxrate", kRate},
    {"mwstsatz", kRate},
    {"ustsatz", kRate},
    {"gst", kRate},
    {"momssats", kRate},
    {"betrag", kAmount},
    {"gesamt", kAmount},
    {"gesamtpreis", kAmount},
    {"nettobetrag", kAmount},
    {"nettowert", kAmount},
    {"positionsbetrag", kAmount},
    {"entgelt", kAmount},
    {"zeilenbetrag", kAmount},
    {"amount", kAmount},
    {"total", kAmount},
    {"linetotal", kAmount},
    {"belopp", kAmount},
    {"summa", kAmount},
    {"prixht", kAmount},
    {"totalht", kAmount},
    {"montant", kAmount},
    {"montantht", kAmount},
    {"bedrag", kAmount},
    {"prijsinclbtw", kAmount},
    {"wert", kAmount},
    {"summe", kAmount},
    {"gp", kAmount},
    {"gpreis", kAmount},
    {"extension", kAmount},
    {"netamount", kAmount},
    {"nettototal", kAmount},
    {"totalprice", kAmount},
    {"totaal", kAmount},
    {"radsumma", kAmount},
    {"subtotal", kAmount},
    {"nettosumme", kAmount},
    {"gesamtnetto", kAmount},
    {"netto", kAmount},
    {"totalttc", kAmount},
    {"gesamtbetrag", kAmount},
    {"amounteur", kAmount},
    {"betrageur", kAmount},
    {"gesamteur", kAmount},
    {"beloppsek", kAmount},
    {"totalamount", kAmount},
    {"nettwert", kAmount},
    {"prijsexclbtw", kAmount},
    {"totalexclvat", kAmount},
    {"lineamount", kAmount},
    {"prisexklmoms", kAmount},
    {"preisgesamt", kAmount},
    {"netvalue", kAmount},
    {"basisbetrag", kTaxTable},
    {"steuerbetrag", kTaxTable},
    {"ustbetrag", kTaxTable},
    {"steuerbasisbetrag", kTaxTable},
    {"mwstbetrag", kTaxTable},
    {"bemessungsgrundlage", kTaxTable},
    {"taxamount", kTaxTable},
    {"vatamount", kTaxTable},
    {"taxbase", kTaxTable},
    {"momsunderlag", kTaxTable},
    {"momsbelopp", kTaxTable},
    {"base", kTaxTable},
    {"taxe", kTaxTable},
    {"reglement", kTaxTable},
    {"taxableamount", kTaxTable},
    {"teilzahlung", kTaxTable},
    {"endbetrag", kTaxTable},
    {"basisht", kTaxTable},
    {"dateiname", kTaxTable},
    {"bezug", kTaxTable},
    {"zuabschlag", kTaxTable},
    {"warenwert", kTaxTable},
});

ColumnKind kind_of(int meaning) { return static_cast<ColumnKind>(meaning - 1); }

bool is_value_kind(ColumnKind k) { return k == ColumnKind::Amount || k == ColumnKind::UnitPrice; }
bool is_item_kind(ColumnKind k) {
    return k == ColumnKind::Description || k == ColumnKind::Quantity || k == ColumnKind::Article ||
           k == ColumnKind::Position;
}

double edge_distance(const media::Box& a, const media::Box& b) {
    const auto middle = std::abs((a.x + a.width / 2) - (b.x + b.width / 2));
    return std::min({std::abs(a.right() - b.right()), middle, std::abs(a.x - b.x)});
}

}  // namespace

bool TableHeading::has(ColumnKind wanted) const {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const Column& c) { return c.kind == wanted; });
}

const Column* TableHeading::column_of(const media::Box& value) const {
    const Column* best = nullptr;
    double least = 1e9;
    for (const auto& column : columns) {
        const auto distance = edge_distance(column.heading, value);
        if (distance < least) {
            least = distance;
            best = &column;
        }
    }
    return best;
}

double TableHeading::distance_of(const media::Box& value) const {
    const auto* column = column_of(value);
    return column == nullptr ? 1e9 : edge_distance(column->heading, value);
}

std::vector<TableHeading> item_headings(const Document& document) {
    const auto labels = find_labels(document.lines, kHeadings);
    std::vector<TableHeading> headings;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        if (!headings.empty() && l <= headings.back().last_line) continue;
        const auto& line = document.lines[l];
        std::vector<Column> columns;
        bool tax_table = false;
        std::size_t labelled = 0;
        for (const auto& label : labels) {
            if (label.line != l) continue;
            if (label.meaning == kTaxTable)
                tax_table = true;
            else
                columns.push_back({kind_of(label.meaning), label.box});
            labelled += label.count;
        }
        std::set<ColumnKind> kinds;
        for (const auto& column : columns) kinds.insert(column.kind);
        // A heading is labels and little else: prose that mentions a price and an amount is not one.
        if (tax_table || kinds.size() < 2 || labelled * 2 < line.words.size() ||
            !document.dates[l].empty())
            continue;
        const bool money_here = std::any_of(document.amounts[l].begin(), document.amounts[l].end(),
                                            [](const AmountAt& at) { return at.amount.decimals; });
        if (money_here) continue;
        TableHeading heading{l, l, columns};
        // The lines around it belong to the heading as long as they are labels, too.
        for (const int step : {-1, 1, -2, 2, -3, 3}) {
            const auto at = static_cast<std::ptrdiff_t>(l) + step;
            if (at < 0 || at >= static_cast<std::ptrdiff_t>(document.lines.size())) continue;
            const auto near = static_cast<std::size_t>(at);
            const auto& other = document.lines[near];
            if (other.page != line.page) continue;
            const auto gap =
                step < 0 ? line.box.y - other.box.bottom() : other.box.y - line.box.bottom();
            if (gap > 1.6 * std::abs(step) * document.height || digit_count(other.text()) > 1)
                continue;
            if (std::any_of(document.amounts[near].begin(), document.amounts[near].end(),
                            [](const AmountAt& a) { return a.amount.decimals; }))
                continue;
            bool any = false;
            for (const auto& label : labels) {
                if (label.line != near || label.meaning == kTaxTable) continue;
                any = true;
                const bool covered = std::any_of(
                    heading.columns.begin(), heading.columns.end(),
                    [&](const Column& c) { return overlap_x(c.heading, label.box) > 0.2; });
                if (!covered) heading.columns.push_back({kind_of(label.meaning), label.box});
            }
            if (any && step > 0) heading.last_line = std::max(heading.last_line, near);
            if (any && step < 0) heading.first_line = std::min(heading.first_line, near);
        }
        const bool values = std::any_of(heading.columns.begin(), heading.columns.end(),
                                        [](const Column& c) { return is_value_kind(c.kind); });
        const bool items = std::any_of(heading.columns.begin(), heading.columns.end(),
                                       [](const Column& c) { return is_item_kind(c.kind); });
        if (!values || !items) continue;
        std::sort(heading.columns.begin(), heading.columns.end(),
                  [](const Column& a, const Column& b) { return a.heading.x < b.heading.x; });
        headings.push_back(std::move(heading));
    }
    return headings;
}

}  // namespace belay::ai::rules
