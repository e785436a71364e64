import type { Page } from "./pages.js";

/** Where the same can be read meanwhile. */
const MEANWHILE: Readonly<Record<string, string>> = {
  "/settings": "/v1/config",
};

/** A page that is not there yet says so, and where to look instead. */
export function LaterPage({ page }: { page: Page }) {
  const address = MEANWHILE[page.path];
  return (
    <main className="page later">
      <div className="blank">
        <page.icon className="icon" aria-hidden />
        <h1>{page.name}</h1>
        <p className="dim">
          {page.promise}{" "}
          {address !== undefined && (
            <a className="mono link" href={address}>
              {address}
            </a>
          )}
        </p>
      </div>
    </main>
  );
}
