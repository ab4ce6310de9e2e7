import { useLocation, useSearchParams } from 'react-router';

/** Filters kept in the address, so that a reload or a link keeps them. */
export function useAddressFilters(): {
  value: (name: string) => string;
  set: (name: string, value: string) => void;
} {
  const [params, setParams] = useSearchParams();
  const { pathname } = useLocation();
  return {
    value: (name) => params.get(name) ?? '',
    set: (name, value) => {
      // A search begins late. By then a link may have been followed whose page is not drawn yet.
      if (window.location.pathname !== pathname) return;
      setParams(
        (previous) => {
          if (value) previous.set(name, value);
          else previous.delete(name);
          return previous;
        },
        { replace: true },
      );
    },
  };
}
